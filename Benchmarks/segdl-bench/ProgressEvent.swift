import Foundation

/// What the benchmarks need of the events of `segdl --progress json` (docs/json-events.md).
struct ProgressEvent: Decodable {
    /// Seconds since the epoch.
    var time: Double
    var phase: String?
    /// Connections with a request under way.
    var connections: Int?
    /// By connection; of `progress` only.
    var connectionBytes: [Int64]?

    /// - Throws: An error where a line is no event.
    static func parse(_ lines: String) throws -> [ProgressEvent] {
        try lines.split(whereSeparator: \.isNewline).map { line in
            try JSONDecoder().decode(ProgressEvent.self, from: Data(line.utf8))
        }
    }

    /// How many connections there were when their number had been found: the median over the second half of the transfer.
    ///
    /// - Throws: ``BenchError`` where the events show no transfer, an error where a line is no event.
    static func lastingConnections(_ lines: String) throws -> Double {
        let counts = try parse(lines).filter { $0.phase == "transferring" }.compactMap(\.connections)
        guard !counts.isEmpty else { throw BenchError("The events show no transfer.") }
        return Sample(counts.suffix((counts.count + 1) / 2).map(Double.init)).median
    }
}
