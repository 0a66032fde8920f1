/// What each connection of one download brought over time, by `segdl --progress json`.
struct TimelineChart {
    private let title: String
    /// Seconds since the first event, and bytes by connection.
    private let points: [(seconds: Double, byteCounts: [Int64])]

    /// - Parameters:
    ///   - title: What is shown above.
    ///   - events: What `segdl` printed.
    /// - Throws: An error where a line is no event.
    init(_ title: String, events: String) throws {
        self.title = title
        let all = try ProgressEvent.parse(events)
        points = all.compactMap { event in
            event.connectionBytes.map { (event.time - all[0].time, $0) }
        }
    }

    private static let headings = ["seconds", "connection", "bytes"]

    /// A row for each connection of each event.
    var table: Table {
        var table = Table(Self.headings)
        for (seconds, byteCounts) in points {
            for (connection, byteCount) in byteCounts.enumerated() {
                table.append([seconds.decimal(3), "\(connection)", "\(byteCount)"])
            }
        }
        return table
    }

    /// Writes an SVG file.
    ///
    /// - Throws: ``BenchError`` where no connection brought anything, or gnuplot fails.
    func draw(to path: String) throws {
        let count = points.map(\.byteCounts.count).max() ?? 0
        guard count > 0 else { throw BenchError("No event tells what a connection brought.") }
        let rows = points.map { point in
            let megabytes = (0..<count).map { index in
                index < point.byteCounts.count ? (Double(point.byteCounts[index]) / 1e6).decimal(3) : "0"
            }
            return ([point.seconds.decimal(3)] + megabytes).joined(separator: " ")
        }
        let plots = (0..<count).map { "$points using 1:\($0 + 2) with lines lw 2 title 'connection \($0)'" }
        let script = [
            "$points << EOD\n\(rows.joined(separator: "\n"))\nEOD",
            "set title '\(title)' noenhanced",
            "set xlabel 'seconds'",
            "set ylabel 'MB'",
            "set grid",
            "set key outside right",
            "plot " + plots.joined(separator: ", \\\n     "),
        ]
        try gnuplot(script, to: path, width: 900, height: 500)
    }
}
