/// Measures the largest resident set of `segdl`, over HTTP and HTTPS, by connections and by length.
struct MemoryBench {
    private struct Case {
        var isSecure: Bool
        var byteCount: Int64
        var jobs: Int
        /// The most that issue 5 allows, in MiB.
        var limit: Double?
    }

    private static let jobs: [(jobs: Int, limit: Double?)] = [(1, nil), (8, 22), (64, 36)]

    private let workplace: Workplace
    private let cases: [Case]

    /// - Parameters:
    ///   - workplace: Where to work.
    ///   - isQuick: Small files.
    init(_ workplace: Workplace, isQuick: Bool) {
        self.workplace = workplace
        let lengths: [Int64] = isQuick ? [64 * .mebibyte] : [.gibibyte, 8 * .gibibyte]
        cases = lengths.flatMap { byteCount in
            // Over HTTPS the length makes no other difference.
            (byteCount == lengths[0] ? [false, true] : [false]).flatMap { isSecure in
                Self.jobs.map { Case(isSecure: isSecure, byteCount: byteCount, jobs: $0.jobs, limit: $0.limit) }
            }
        }
    }

    /// Measures all cases, shows them, and writes `memory.csv` and `memory.txt`.
    ///
    /// - Throws: ``BenchError`` where a download fails or brings wrong bytes.
    func run() throws {
        var table = Table(["memory", "length", "jobs", "MiB", "bar", "met"])
        for item in cases { table.append(try row(item)) }
        let text = machineDescription() + "\n" + table.text
        print(text)
        try workplace.write(machineDescription() + table.csv, to: "memory.csv")
        try workplace.write(text, to: "memory.txt")
    }

    private func row(_ item: Case) throws -> [String] {
        let server = try NginxBenchServer(workplace, isSecure: item.isSecure)
        defer { server.stop() }
        let scheme = item.isSecure ? "https" : "http"
        report("memory: \(scheme), \(item.byteCount.byteUnits), -j \(item.jobs)")
        let resource = try server.serve(FileSet(byteCount: item.byteCount))
        let segdl = Contender.segdl(workplace.segdl, jobs: item.jobs, options: ["--insecure"])
        let mebibytes = try peakResident(segdl, fetching: resource, from: server)
        return [
            scheme, item.byteCount.byteUnits, "\(item.jobs)", mebibytes.decimal(1),
            item.limit.map { "<= \($0.decimal(0))" } ?? "-",
            item.limit.map { mebibytes <= $0 ? "yes" : "NO" } ?? "-",
        ]
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
