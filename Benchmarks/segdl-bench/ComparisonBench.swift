/// Runs comparisons, and writes what came of them.
struct ComparisonBench {
    private let workplace: Workplace
    /// The subcommand, and the name of its files.
    private let name: String
    private let comparisons: [Comparison]
    /// What the table can't say: scenarios that were left out, and why.
    private let notes: [String]

    init(_ workplace: Workplace, _ name: String, _ comparisons: [Comparison], notes: [String] = []) {
        self.workplace = workplace
        self.name = name
        self.comparisons = comparisons
        self.notes = notes
    }

    /// Runs all comparisons, shows them, and writes `NAME.csv` (each run), `NAME.txt` (what was shown) and `NAME.svg`.
    ///
    /// - Throws: ``BenchError`` where `segdl` fails, or anybody brings wrong bytes.
    func run() throws {
        var runs = Table(ComparisonResult.headings)
        var shown = Table(ComparisonResult.shownHeadings)
        var results: [ComparisonResult] = []
        for comparison in comparisons {
            let result = try run(comparison)
            results.append(result)
            result.rows.forEach { runs.append($0) }
            result.shownRows.forEach { shown.append($0) }
            try workplace.write(machineDescription() + runs.csv, to: "\(name).csv")
        }
        let tables = comparisons.isEmpty ? [] : [shown.text, commands]
        let parts = [machineDescription()] + tables + notes.map { $0 + "\n" } + [versions(workplace)]
        let text = parts.joined(separator: "\n")
        print(text)
        try workplace.write(text, to: "\(name).txt")
        try ComparisonChart(results).draw(to: workplace.result("\(name).svg"))
    }

    /// Each contender's command line, once.
    private var commands: String {
        var table = Table(["contender", "command"])
        var seen: Set<String> = []
        for contender in comparisons.flatMap(\.contenders) {
            let words = contender.command("http://HOST:PORT/FILE", "FOLDER", "NAME")
            let line = words.map { $0 == workplace.segdl ? "segdl" : $0 }.joined(separator: " ")
                .replacing(workplace.tools, with: ".build/bench-tools")
            if seen.insert(line).inserted { table.append([contender.name, line]) }
        }
        return table.text
    }

    /// The contenders take turns, so that whatever else the machine does meets all of them.
    private func run(_ comparison: Comparison) throws -> ComparisonResult {
        var servers: [any BenchServer] = []
        defer { servers.forEach { $0.stop() } }
        for venue in comparison.venues { servers.append(try venue(workplace)) }
        var costs = comparison.contenders.map { _ in [RunCost]() }
        var failed: Set<Int> = []
        for round in 1...comparison.rounds {
            for (index, contender) in comparison.contenders.enumerated() where !failed.contains(index) {
                report("\(comparison.name): round \(round) of \(comparison.rounds), \(contender.name)")
                do {
                    costs[index].append(try run(contender, comparison, servers[contender.venue]))
                } catch  where contender.isPeer {
                    report("\(contender.name) failed: \(error)")
                    failed.insert(index)
                    costs[index] = []
                }
            }
        }
        return ComparisonResult(comparison: comparison, costs: costs)
    }

    private func run(_ contender: Contender, _ comparison: Comparison, _ server: any BenchServer) throws -> RunCost {
        // Anew for each run: a server that does something to one of a run's connections counts from here.
        let resource = try server.serve(comparison.files)
        if comparison.counting == .opened { _ = try server.takeRequests() }
        var cost = try fetch(resource, with: contender.command, from: server, workplace)
        switch comparison.counting {
        case .none: break
        case .opened: cost.connectionCount = Double(Set(try server.takeRequests().map(\.connection)).count)
        case .inUse: cost.connectionCount = try ProgressEvent.lastingConnections(cost.output)
        }
        return cost
    }
}
