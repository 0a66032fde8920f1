/// All runs of a ``Comparison``, by contender.
struct ComparisonResult {
    var comparison: Comparison
    /// Empty for a peer that failed.
    var costs: [[RunCost]]

    static let headings = ["comparison", "contender", "run", "bytes", "seconds", "cpu_seconds", "connections"]

    /// A CSV row for each run.
    var rows: [[String]] {
        zip(comparison.contenders, costs).flatMap { contender, costs in
            costs.enumerated().map { index, cost in
                [
                    comparison.name, contender.name, "\(index + 1)", "\(comparison.files.totalByteCount)",
                    cost.elapsed.decimal(4), cost.cpu.decimal(4),
                    comparison.counting == .none ? "" : cost.connectionCount.decimal(1),
                ]
            }
        }
    }

    static let shownHeadings = [
        "comparison", "quantity", "contender", "median [spread]", "reference", "median [spread]",
        "quotient", "bar", "met",
    ]

    /// A row for each bar.
    var shownRows: [[String]] {
        comparison.bars.map { bar in
            let (name, text, value) = reference(bar)
            let subject = median(bar.subject, bar.quantity)
            let quotient = subject.flatMap { subject in value.map { subject / $0 } }
            return [
                comparison.name, bar.quantity.rawValue,
                comparison.contenders[bar.subject].name, shown(bar.subject, bar.quantity),
                name, text, quotient?.decimal(3) ?? "-", bar.boundText,
                quotient.flatMap { bar.isMet(by: $0) }.map { $0 ? "yes" : "NO" } ?? "-",
            ]
        }
    }

    /// The median of a quantity; `nil` where the contender failed.
    func median(_ contender: Int, _ quantity: Comparison.Quantity) -> Double? {
        costs[contender].isEmpty ? nil : Sample(costs[contender].map(quantity.value)).median
    }

    /// A reference's name, what is shown of it, and its value.
    private func reference(_ bar: Comparison.Bar) -> (name: String, text: String, value: Double?) {
        let index: Int
        switch bar.reference {
        case .contender(let contender): index = contender
        case .fastest(let contenders): index = fastest(of: contenders)
        case .needed(let contenders):
            let best = median(fastest(of: contenders), .time) ?? .infinity
            index = contenders.first { median($0, .time) ?? .infinity <= 1.05 * best } ?? contenders[0]
        case .ideal(let ideal):
            guard bar.quantity == .rate else { return ("ideal", "\(ideal.decimal(3)) s", ideal) }
            return ("ideal", "\((ideal / 1e6).decimal(1)) MB/s", ideal / Double(comparison.files.totalByteCount))
        }
        return (comparison.contenders[index].name, shown(index, bar.quantity), median(index, bar.quantity))
    }

    private func fastest(of contenders: [Int]) -> Int {
        contenders.min { median($0, .time) ?? .infinity < median($1, .time) ?? .infinity } ?? contenders[0]
    }

    /// A contender's median, smallest and largest value: MB/s for a rate, else seconds or a number.
    private func shown(_ contender: Int, _ quantity: Comparison.Quantity) -> String {
        guard !costs[contender].isEmpty else { return "failed" }
        let (scale, places, unit) =
            switch quantity {
            case .rate: (Double(comparison.files.totalByteCount) / 1e6, 1, " MB/s")
            case .time, .cpu: (1, 3, " s")
            case .connections: (1, 1, "")
            }
        let sample = Sample(costs[contender].map { quantity.value($0) * scale })
        let spread = "\(sample.minimum.decimal(places))–\(sample.maximum.decimal(places))"
        return "\(sample.median.decimal(places))\(unit) [\(spread)]"
    }
}
