/// Compares `segdl` with aria2 and curl: the numbers that issue 2 asks for.
struct PeerBench {
    private let workplace: Workplace
    private let rounds: Int

    /// - Parameters:
    ///   - workplace: Where to work.
    ///   - rounds: Runs of each contender; the medians count.
    init(_ workplace: Workplace, rounds: Int) {
        self.workplace = workplace
        self.rounds = rounds
    }

    private var comparisons: [Comparison] {
        let segdl = workplace.segdl
        let file = 256 * Int64.mebibyte
        return [
            Comparison(
                name: "256 MiB, loopback, synced",
                startServer: Link.loopback.startServer,
                byteCount: file,
                contenders: [.segdl(segdl, jobs: 8), .aria2(connections: 8), .curlThenSync],
                bars: [
                    .init(quantity: .time, subject: 0, reference: 1, bound: .atMost(0.45)),
                    .init(quantity: .time, subject: 0, reference: 2, bound: .atMost(0.5)),
                    .init(quantity: .cpu, subject: 0, reference: 1, bound: .atMost(0.6)),
                ],
                rounds: rounds
            ),
            Comparison(
                name: "256 MiB, loopback, not synced",
                startServer: Link.loopback.startServer,
                byteCount: file,
                contenders: [.segdl(segdl, jobs: 8, options: ["--no-sync"]), .aria2(connections: 8), .curl],
                bars: [
                    .init(quantity: .time, subject: 0, reference: 1, bound: .atMost(0.3)),
                    .init(quantity: .time, subject: 0, reference: 2, bound: .atMost(0.42)),
                ],
                rounds: rounds
            ),
            Comparison(
                name: "1 KiB, loopback",
                startServer: Link.loopback.startServer,
                byteCount: .kibibyte,
                contenders: [.segdl(segdl, jobs: 8), .curl],
                bars: [.init(quantity: .time, subject: 0, reference: 1, bound: .atMost(1.5))],
                rounds: rounds * 3
            ),
            Comparison(
                name: "128 MiB, 4 MB/s a connection",
                startServer: Link.capped.startServer,
                byteCount: 128 * .mebibyte,
                contenders: [.segdl(segdl, jobs: 8), .segdl(segdl, jobs: 1)],
                bars: [.init(quantity: .rate, subject: 0, reference: 1, bound: .atLeast(7.6))],
                rounds: (rounds + 1) / 2
            ),
            Comparison(
                name: "1 GiB, 100 ms",
                startServer: Link.wide.startServer,
                byteCount: .gibibyte,
                contenders: [.segdl(segdl, jobs: 8), .aria2(connections: 8)],
                bars: [.init(quantity: .rate, subject: 0, reference: 1, bound: .atLeast(1))],
                rounds: rounds
            ),
        ]
    }

    /// Runs all comparisons, shows them, and writes `peers.csv` (each run) and `peers.txt` (what was shown).
    ///
    /// - Throws: ``BenchError`` where a contender fails or brings wrong bytes.
    func run() throws {
        var runs = Table(ComparisonResult.headings)
        var shown = Table(ComparisonResult.shownHeadings)
        for comparison in comparisons {
            let result = try comparison.run(workplace)
            result.rows.forEach { runs.append($0) }
            result.shownRows.forEach { shown.append($0) }
            try write(machineDescription() + runs.csv, toFileAt: workplace.results + "/peers.csv")
        }
        let memory = try MemoryBench(workplace).run()
        let text = machineDescription() + "\n" + shown.text + "\n" + memory.text
        print(text)
        try write(text, toFileAt: workplace.results + "/peers.txt")
    }

    /// How long it takes until the file is on a slow disk for good: the disk is the caller's business.
    ///
    /// - Throws: ``BenchError`` where a contender fails or brings wrong bytes.
    func runDurable() throws {
        let comparison = Comparison(
            name: "96 MiB, slow disk, until durable",
            startServer: Link.loopback.startServer,
            byteCount: 96 * .mebibyte,
            contenders: [.segdl(workplace.segdl, jobs: 8), .aria2(connections: 8), .curlThenSync],
            bars: [
                .init(quantity: .time, subject: 0, reference: 1, bound: .atMost(1.05)),
                .init(quantity: .time, subject: 0, reference: 2, bound: .atMost(1.05)),
            ],
            rounds: rounds
        )
        try [comparison.run(workplace)].show(as: "durable", workplace)
    }
}
