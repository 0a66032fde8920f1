/// Downloaders that fetch the same file in turns, and what is asked of their medians.
struct Comparison {
    /// What of a run is compared.
    enum Quantity: String {
        case time
        case cpu
        /// The inverse of the time.
        case rate

        func value(_ cost: RunCost) -> Double {
            switch self {
            case .time: cost.elapsed
            case .cpu: cost.cpu
            case .rate: 1 / cost.elapsed
            }
        }
    }

    /// A bound on the quotient of two contenders' medians.
    struct Bar {
        enum Bound {
            case atMost(Double)
            case atLeast(Double)
        }

        var quantity: Quantity
        /// Index of the contender on trial.
        var subject: Int
        /// Index of the one that it is compared with.
        var reference: Int
        var bound: Bound

        func isMet(by quotient: Double) -> Bool {
            switch bound {
            case .atMost(let limit): quotient <= limit
            case .atLeast(let limit): quotient >= limit
            }
        }

        var boundText: String {
            switch bound {
            case .atMost(let limit): "<= \(limit.decimal(2))"
            case .atLeast(let limit): ">= \(limit.decimal(2))"
            }
        }
    }

    var name: String
    var link: Link
    var byteCount: Int64
    var contenders: [Contender]
    var bars: [Bar]
    var rounds: Int
}

/// All runs of a ``Comparison``, by contender.
struct ComparisonResult {
    var comparison: Comparison
    var costs: [[RunCost]]

    static let headings = ["comparison", "contender", "run", "seconds", "cpu_seconds"]

    /// A CSV row for each run.
    var rows: [[String]] {
        zip(comparison.contenders, costs).flatMap { contender, costs in
            costs.enumerated().map { index, cost in
                [
                    comparison.name, contender.name, "\(index + 1)",
                    cost.elapsed.decimal(4), cost.cpu.decimal(4),
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
            let subject = Sample(costs[bar.subject].map(bar.quantity.value))
            let reference = Sample(costs[bar.reference].map(bar.quantity.value))
            let quotient = subject.median / reference.median
            return [
                comparison.name, bar.quantity.rawValue,
                comparison.contenders[bar.subject].name, shown(bar.subject, bar.quantity),
                comparison.contenders[bar.reference].name, shown(bar.reference, bar.quantity),
                quotient.decimal(3), bar.boundText, bar.isMet(by: quotient) ? "yes" : "NO",
            ]
        }
    }

    /// A contender's median, smallest and largest value: MB/s for a rate, else seconds.
    private func shown(_ contender: Int, _ quantity: Comparison.Quantity) -> String {
        let isRate = quantity == .rate
        let scale = isRate ? Double(comparison.byteCount) / 1e6 : 1
        let sample = Sample(costs[contender].map { quantity.value($0) * scale })
        let places = isRate ? 1 : 3
        let spread = "\(sample.minimum.decimal(places))–\(sample.maximum.decimal(places))"
        return "\(sample.median.decimal(places)) \(isRate ? "MB/s" : "s") [\(spread)]"
    }
}
