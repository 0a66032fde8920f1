/// Draws the sweep with gnuplot: a column for each link; rate above, bytes lost at a kill below.
struct SweepChart {
    /// What a panel shows over the segment size.
    private struct Quantity: Sendable {
        var label: String
        var value: @Sendable (CellResult) -> Double?
    }

    private static let quantities = [
        Quantity(label: "MB/s") { $0.bytesPerSecond / 1e6 },
        Quantity(label: "MiB lost at a kill") { $0.lostByteCount.map { Double($0) / Double(Int64.mebibyte) } },
    ]

    private let results: [CellResult]

    init(_ results: [CellResult]) {
        self.results = results
    }

    /// Writes an SVG file.
    ///
    /// - Throws: ``BenchError`` where gnuplot fails.
    func draw(to path: String) throws {
        try gnuplot(script, to: path, width: 500 * links.count, height: 800)
    }

    private var links: [Link] { Link.allCases.filter { link in results.contains { $0.cell.link == link } } }

    private var script: [String] {
        let links = links
        var lines = [
            "set multiplot layout \(Self.quantities.count),\(links.count)",
            "set logscale x 4",
            "set xlabel 'segment size, KiB (dashed: one request per segment)'",
            "set xrange [48:87382]",
            "set yrange [0:*]",
            "set grid",
            "set key outside bottom center horizontal",
        ]
        for quantity in Self.quantities {
            lines += links.flatMap { panel(of: quantity, link: $0) }
        }
        return lines + ["unset multiplot"]
    }

    private func panel(of quantity: Quantity, link: Link) -> [String] {
        let panel = results.filter { $0.cell.link == link }
        var data: [String] = []
        var plots: [String] = []
        for (color, connections) in Set(panel.map(\.cell.connections)).sorted().enumerated() {
            for mode in SweepCell.RequestMode.allCases {
                let series = panel.filter { $0.cell.connections == connections && $0.cell.mode == mode }
                let points = series.compactMap { result in
                    quantity.value(result).map { "\(result.cell.segmentSize / .kibibyte) \($0)" }
                }
                guard !points.isEmpty else { continue }
                let name = "$series\(data.count)"
                data.append("\(name) << EOD\n\(points.joined(separator: "\n"))\nEOD")
                let title = mode == .auto ? "title '\(connections) connections'" : "notitle"
                plots.append(
                    "\(name) with linespoints lc \(color + 1) dt \(mode == .auto ? 1 : 2) pt \(color + 4) ps 0.6 \(title)"
                )
            }
        }
        guard !plots.isEmpty else { return [] }
        return data + ["set title '\(link.title)'", "set ylabel '\(quantity.label)'"]
            + ["plot " + plots.joined(separator: ", \\\n     ")]
    }
}
