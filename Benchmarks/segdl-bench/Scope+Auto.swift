/// `auto`: whether `-j auto` finds what the best fixed number would have been.
extension Scope {
    private static let fixed = [1, 2, 4, 8, 16, 32]

    /// Empty where this `segdl` has no `-j auto`.
    func auto() throws -> [Comparison] {
        guard try workplace.takes("--jobs=auto") else { return [] }
        let window = WideLink(receiveWindow: .mebibyte)
        let capped = WideLink(megabits: 200, queueKibibytes: 1024)
        let scenarios: [(name: String, venue: Venue, byteCount: Int64)] = [
            ("loopback", Link.loopback.startServer, 4 * .gibibyte),
            ("4 MB/s a connection", Link.capped.startServer, 256 * .mebibyte),
            ("100 ms", Link.wide.startServer, .gibibyte),
            ("100 ms, 1 MiB window", { try NginxBenchServer($0, wide: window) }, 512 * .mebibyte),
            ("100 ms, 200 Mbit", { try NginxBenchServer($0, wide: capped) }, 100 * .mebibyte),
        ]
        return scenarios.map { comparison($0.name, $0.venue, byteCount($0.byteCount)) }
    }

    private func comparison(_ name: String, _ venue: @escaping Venue, _ byteCount: Int64) -> Comparison {
        let fixed = isQuick ? [8] : Self.fixed
        let others = Array(1...fixed.count)
        return Comparison(
            name: "\(byteCount.byteUnits), \(name)",
            venues: [venue],
            files: FileSet(byteCount: byteCount),
            contenders: [.segdl(segdl, jobs: "auto", options: ["--no-sync"])]
                + fixed.map { .segdl(segdl, jobs: $0, options: ["--no-sync"]) },
            bars: [
                .init(quantity: .time, subject: 0, reference: .fastest(others), bound: .atMost(1.1)),
                .init(quantity: .connections, subject: 0, reference: .needed(others), bound: .atMost(2)),
            ],
            rounds: rounds,
            countsConnections: true
        )
    }
}
