/// `auto`: whether `-j auto` finds what the best fixed number would have been.
extension Scope {
    /// A link, a file that takes it 2 to 12 seconds with the best of the fixed numbers, and those numbers.
    private struct AutoScenario {
        var name: String
        var byteCount: Int64
        /// Fewer than the first take more than twice as long.
        var fixed: [Int]
        /// Whether it ends before anything can be found out: `-j auto` is to be as fast as the number that it begins with.
        var isShort = false
        var venue: Venue
    }

    private static var autoScenarios: [AutoScenario] {
        let window = WideLink(receiveWindow: .mebibyte)
        let narrow = WideLink(megabits: 200, queueKibibytes: 1024)
        return [
            .init(
                name: "loopback",
                byteCount: 4 * .gibibyte,
                fixed: [1, 2, 4, 8, 16],
                venue: Link.loopback.startServer
            ),
            .init(
                name: "4 MB/s a connection",
                byteCount: 512 * .mebibyte,
                fixed: [8, 16, 32],
                venue: Link.capped.startServer
            ),
            .init(name: "100 ms", byteCount: .gibibyte, fixed: [2, 4, 8, 16, 32], venue: Link.wide.startServer),
            .init(name: "100 ms, 1 MiB window", byteCount: 512 * .mebibyte, fixed: [8, 16, 32]) {
                try NginxBenchServer($0, wide: window)
            },
            .init(name: "100 ms, 200 Mbit", byteCount: 256 * .mebibyte, fixed: [1, 2, 4, 8, 16]) {
                try NginxBenchServer($0, wide: narrow)
            },
            .init(
                name: "loopback, short",
                byteCount: 256 * .mebibyte,
                fixed: [8],
                isShort: true,
                venue: Link.loopback.startServer
            ),
            .init(
                name: "4 MB/s a connection, short",
                byteCount: 32 * .mebibyte,
                fixed: [8],
                isShort: true,
                venue: Link.capped.startServer
            ),
            .init(
                name: "100 ms, short",
                byteCount: 64 * .mebibyte,
                fixed: [8],
                isShort: true,
                venue: Link.wide.startServer
            ),
        ]
    }

    /// Empty where this `segdl` has no `-j auto`.
    func auto() throws -> [Comparison] {
        guard try workplace.takes("--jobs=auto") else { return [] }
        return Self.autoScenarios.map(comparison)
    }

    private func comparison(_ scenario: AutoScenario) -> Comparison {
        let byteCount = byteCount(scenario.byteCount)
        let fixed = isQuick ? [8] : scenario.fixed
        let others = Array(1...fixed.count)
        let contenders = (["auto"] + fixed.map { "\($0)" }).map {
            Contender.segdl(telling: segdl, jobs: $0, options: ["--no-sync"])
        }
        var bars = [Comparison.Bar(quantity: .time, subject: 0, reference: .fastest(others), bound: .atMost(1.1))]
        if !scenario.isShort {
            bars.append(.init(quantity: .connections, subject: 0, reference: .needed(others), bound: .atMost(2)))
        }
        return Comparison(
            name: "\(byteCount.byteUnits), \(scenario.name)",
            venues: [scenario.venue],
            files: FileSet(byteCount: byteCount),
            contenders: contenders,
            bars: bars,
            rounds: (rounds + 1) / 2,
            counting: .inUse
        )
    }
}
