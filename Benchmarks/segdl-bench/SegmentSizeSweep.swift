import SegmentedDownloadTestSupport

/// Measures what segment size, number of connections and request size do, on each link.
struct SegmentSizeSweep {
    private let workplace: Workplace
    private let cells: [SweepCell]
    /// How long a cell should take, in seconds.
    private let seconds: Int64
    private let name: String

    /// - Parameters:
    ///   - workplace: Where to work.
    ///   - links: The links to measure.
    ///   - isQuick: A sixth of the table and a third of the bytes, for a look.
    init(_ workplace: Workplace, links: [Link], isQuick: Bool) {
        self.workplace = workplace
        seconds = isQuick ? 1 : 3
        // A run of some links does not overwrite the whole table.
        let part = links == Link.allCases ? "" : links.map { "-\($0.rawValue)" }.joined()
        name = "segment-sizes" + part
        let segmentSizes: [Int64] = isQuick ? [64, 1024, 16384] : [64, 256, 1024, 4096, 16384, 65536]
        cells = links.flatMap { link in
            (isQuick ? [1, 8] : [1, 2, 4, 8, 16]).flatMap { connections in
                SweepCell.RequestMode.allCases.flatMap { mode in
                    segmentSizes.map { kibibytes in
                        SweepCell(
                            link: link,
                            connections: connections,
                            segmentSize: kibibytes * .kibibyte,
                            mode: mode
                        )
                    }
                }
            }
        }
    }

    /// Measures all cells, shows each link's table, and writes `NAME.csv` and `NAME.svg`.
    ///
    /// - Throws: ``BenchError`` where a download fails or brings wrong bytes.
    func run() throws {
        var results: [CellResult] = []
        for link in Link.allCases where cells.contains(where: { $0.link == link }) {
            let server = try link.startServer(workplace)
            defer { server.stop() }
            var shown = Table(CellResult.shownHeadings)
            for cell in cells where cell.link == link {
                report("\(results.count + 1) of \(cells.count): \(link.title), \(cell.options.joined(separator: " "))")
                let result = try measure(cell, server)
                shown.append(result.shownRow)
                results.append(result)
            }
            print("\(link.title)\n\n\(shown.text)")
            try save(results)
        }
    }

    private func save(_ results: [CellResult]) throws {
        var table = Table(CellResult.headings)
        results.forEach { table.append($0.row) }
        try workplace.write(machineDescription() + table.csv, to: "\(name).csv")
        try SweepChart(results).draw(to: workplace.result("\(name).svg"))
    }

    private func measure(_ cell: SweepCell, _ server: any BenchServer) throws -> CellResult {
        let byteCount = cell.link.byteCount(
            connections: cell.connections,
            requestSize: cell.requestSize,
            seconds: seconds
        )
        let resource = try server.serve(FileSet(byteCount: byteCount))
        let command = Contender.segdl(workplace.segdl, jobs: cell.connections, options: cell.options).command
        let cost = try fetch(resource, with: command, from: server, workplace)
        let requests = try server.takeRequests()
        return CellResult(
            cell: cell,
            byteCount: byteCount,
            elapsed: cost.elapsed,
            requestCount: requests.count,
            tail: requests.tail(connections: cell.connections),
            lostByteCount: try lossAtKill(of: command, fetching: resource, halfTime: cost.elapsed / 2, server),
            cpu: cost.cpu
        )
    }

    /// Kills a download at half its time, and compares what the server had sent with what the journal has.
    ///
    /// - Returns: The difference in bytes; `nil` where it was too fast three times.
    private func lossAtKill(
        of command: Contender.Command,
        fetching resource: Resource,
        halfTime: Double,
        _ server: any BenchServer
    ) throws -> Int64? {
        // Where the disk was quicker than in the first run, the download has ended by then.
        for seconds in [halfTime, halfTime / 2, halfTime / 4] {
            let journal = try fetch(resource, with: command, killedAfter: seconds, from: server, workplace)
            let sent = try server.takeRequests().bodyByteCount
            if let journal { return sent - (JournalSnapshot(path: journal)?.finishedByteCount ?? 0) }
        }
        return nil
    }
}
