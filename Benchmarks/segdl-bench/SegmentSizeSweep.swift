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
        name = isQuick ? "segment-sizes-quick" : "segment-sizes"
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
        try write(machineDescription() + table.csv, toFileAt: "\(workplace.results)/\(name).csv")
        try SweepChart(results).draw(to: "\(workplace.results)/\(name).svg")
    }

    private func measure(_ cell: SweepCell, _ server: any BenchServer) throws -> CellResult {
        let byteCount = cell.link.byteCount(connections: cell.connections, seconds: seconds)
        let resource = try server.serve(byteCount: byteCount)
        let command = Contender.segdl(workplace.segdl, jobs: cell.connections, options: cell.options).command
        let cost = try fetch(resource, with: command, from: server, workplace)
        let requests = try server.takeRequests()
        let journal = try fetch(resource, with: command, killedAfter: cost.elapsed / 2, from: server, workplace)
        let sentBeforeKill = try server.takeRequests().bodyByteCount
        return CellResult(
            cell: cell,
            byteCount: byteCount,
            elapsed: cost.elapsed,
            requestCount: requests.count,
            tail: requests.tail(connections: cell.connections),
            lostByteCount: journal.map { sentBeforeKill - finishedByteCount(journalPath: $0) },
            cpu: cost.cpu
        )
    }
}
