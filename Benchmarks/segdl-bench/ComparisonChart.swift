/// Draws comparisons with gnuplot: a panel each, with a bar for every contender's median and a line from its smallest to
/// its largest value.
struct ComparisonChart {
    private static let columns = 2

    private let results: [ComparisonResult]

    init(_ results: [ComparisonResult]) {
        self.results = results
    }

    /// Writes an SVG file.
    ///
    /// - Throws: ``BenchError`` where gnuplot fails.
    func draw(to path: String) throws {
        guard !results.isEmpty else { return }
        try gnuplot(script, to: path, width: 620 * Self.columns, height: 320 * rowCount)
    }

    private var rowCount: Int { (results.count + Self.columns - 1) / Self.columns }

    private var script: [String] {
        [
            "set multiplot layout \(rowCount),\(Self.columns)",
            "set style fill solid 0.6 border",
            "set lmargin 34",
            "set xlabel 'seconds'",
            "set xrange [0:*]",
            "set grid xtics",
            "set ytics noenhanced",
            "unset key",
        ] + results.enumerated().flatMap { panel(number: $0, $1) } + ["unset multiplot"]
    }

    private func panel(number: Int, _ result: ComparisonResult) -> [String] {
        let rows = zip(result.comparison.contenders, result.costs).compactMap { contender, costs -> String? in
            guard !costs.isEmpty else { return nil }
            let sample = Sample(costs.map(\.elapsed))
            return "\"\(contender.name)\" \(sample.median) \(sample.minimum) \(sample.maximum)"
        }
        guard !rows.isEmpty else { return [] }
        let name = "$panel\(number)"
        return [
            "\(name) << EOD\n\(rows.joined(separator: "\n"))\nEOD",
            "set title '\(result.comparison.name)' noenhanced",
            "set yrange [\(Double(rows.count) - 0.4):-0.6]",
            "plot \(name) using (0):0:(0):2:($0-0.35):($0+0.35):ytic(1) with boxxyerror lc 3, "
                + "\(name) using 2:0:3:4 with xerrorbars lc black pt 0",
        ]
    }
}

/// Draws an SVG file with gnuplot.
///
/// - Throws: ``BenchError`` where gnuplot fails.
func gnuplot(_ script: [String], to path: String, width: Int, height: Int) throws {
    let file = path + ".gnuplot"
    let head = [
        "set terminal svg size \(width),\(height) font 'sans,13' background 'white'",
        "set output '\(path)'",
    ]
    try write((head + script).joined(separator: "\n") + "\n", toFileAt: file)
    try run(["gnuplot", file])
    try remove(file)
}
