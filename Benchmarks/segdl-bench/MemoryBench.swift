/// Measures the largest resident set of `segdl`, over HTTP and HTTPS, by connections and by length.
struct MemoryBench {
    private struct Case {
        var isSecure: Bool
        var byteCount: Int64
        var jobs: Int
        /// The most that issue 2 allows, in MiB.
        var limit: Double?
    }

    private static let cases =
        [false, true].flatMap { isSecure in
            [(1, nil), (8, 26), (64, 40)].map { jobs, limit in
                Case(isSecure: isSecure, byteCount: .gibibyte, jobs: jobs, limit: limit)
            }
        }
        + [(1, nil), (8, 26), (64, 40)].map { jobs, limit in
            Case(isSecure: false, byteCount: 8 * .gibibyte, jobs: jobs, limit: limit)
        }

    private let workplace: Workplace

    init(_ workplace: Workplace) {
        self.workplace = workplace
    }

    /// - Returns: A row for each case.
    /// - Throws: ``BenchError`` where a download fails or brings wrong bytes.
    func run() throws -> Table {
        var table = Table(["memory", "length", "jobs", "MiB", "bar", "met"])
        let server = try NginxBenchServer(workplace)
        defer { server.stop() }
        for item in Self.cases {
            let scheme = item.isSecure ? "https" : "http"
            report("memory: \(scheme), \(item.byteCount.byteUnits), -j \(item.jobs)")
            let resource = try server.serve(byteCount: item.byteCount, isSecure: item.isSecure)
            let segdl = Contender.segdl(workplace.segdl, jobs: item.jobs, options: server.trustOptions)
            let mebibytes = try peakResident(segdl, fetching: resource, from: server)
            table.append([
                scheme, item.byteCount.byteUnits, "\(item.jobs)", mebibytes.decimal(1),
                item.limit.map { "<= \($0.decimal(0))" } ?? "-",
                item.limit.map { mebibytes <= $0 ? "yes" : "NO" } ?? "-",
            ])
        }
        return table
    }

    /// The largest resident set in MiB, by time(1): what stands in a child's place until exec(2) counts for wait4(2) too,
    /// and of time(1) that is next to nothing.
    private func peakResident(
        _ segdl: Contender,
        fetching resource: Resource,
        from server: NginxBenchServer
    ) throws -> Double {
        let log = workplace.scratch + "/peak-resident"
        let time = ["/usr/bin/time", "--format=%M", "--output=\(log)"]
        _ = try fetch(resource, with: { time + segdl.command($0, $1, $2) }, from: server, workplace)
        let text = try readText(log).split(whereSeparator: \.isNewline).last ?? ""
        guard let kibibytes = Double(text) else { throw BenchError("time(1) wrote '\(text)' instead of a number.") }
        return kibibytes / 1024
    }
}
