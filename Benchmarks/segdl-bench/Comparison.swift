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
            /// Shown, and nothing asked of it.
            case none
        }

        var quantity: Quantity
        /// Index of the contender on trial.
        var subject: Int
        /// Index of the one that it is compared with.
        var reference: Int
        var bound: Bound

        /// - Returns: `nil` where nothing is asked.
        func isMet(by quotient: Double) -> Bool? {
            switch bound {
            case .atMost(let limit): quotient <= limit
            case .atLeast(let limit): quotient >= limit
            case .none: nil
            }
        }

        var boundText: String {
            switch bound {
            case .atMost(let limit): "<= \(limit.decimal(2))"
            case .atLeast(let limit): ">= \(limit.decimal(2))"
            case .none: "-"
            }
        }
    }

    var name: String
    var startServer: (Workplace) throws -> any BenchServer
    var byteCount: Int64
    var contenders: [Contender]
    var bars: [Bar]
    var rounds: Int
}

extension Comparison {
    /// Runs it. The contenders take turns, so that whatever else the machine does meets all of them.
    ///
    /// - Throws: ``BenchError`` where a contender fails or brings wrong bytes.
    func run(_ workplace: Workplace) throws -> ComparisonResult {
        let server = try startServer(workplace)
        defer { server.stop() }
        let resource = try server.serve(byteCount: byteCount)
        var costs = contenders.map { _ in [RunCost]() }
        for round in 1...rounds {
            for (index, contender) in contenders.enumerated() {
                report("\(name): round \(round) of \(rounds), \(contender.name)")
                costs[index].append(try fetch(resource, with: contender.command, from: server, workplace))
            }
        }
        return ComparisonResult(comparison: self, costs: costs)
    }
}

extension [ComparisonResult] {
    /// Shows a row for each bar, and writes them to `NAME.txt` among the results.
    func show(as name: String, _ workplace: Workplace) throws {
        var shown = Table(ComparisonResult.shownHeadings)
        flatMap(\.shownRows).forEach { shown.append($0) }
        let text = machineDescription() + "\n" + shown.text
        print(text)
        try write(text, toFileAt: "\(workplace.results)/\(name).txt")
    }
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
                quotient.decimal(3), bar.boundText, bar.isMet(by: quotient).map { $0 ? "yes" : "NO" } ?? "-",
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
