import SegmentedDownloadTestSupport

/// What `--checksum` costs: the bytes are hashed while the rest arrives, so that next to nothing is left at the end.
struct ChecksumBench {
    /// Eight connections come to 200 MB/s: the link is the limit, and neither processor nor disk.
    private static let connectionBytesPerSecond: Int64 = 25_000_000

    private let workplace: Workplace
    private let rounds: Int

    /// - Parameters:
    ///   - workplace: Where to work.
    ///   - rounds: Runs of each contender; the medians count.
    init(_ workplace: Workplace, rounds: Int) {
        self.workplace = workplace
        self.rounds = rounds
    }

    /// Runs all comparisons, shows them, and writes `checksum.txt`.
    ///
    /// - Throws: ``BenchError`` where a contender fails or brings wrong bytes.
    func run() throws {
        try [limited(), unlimited()].map { try $0.run(workplace) }.show(as: "checksum", workplace)
    }

    /// From the start, and after a kill at half of the file.
    private func limited() throws -> Comparison {
        let byteCount = 4 * Int64.gibibyte
        let (plain, checked) = try contenders(byteCount)
        let seconds = Double(byteCount) / Double(8 * Self.connectionBytesPerSecond)
        return Comparison(
            name: "4 GiB at 200 MB/s",
            startServer: { _ in try CappedServer(bytesPerSecond: Self.connectionBytesPerSecond) },
            byteCount: byteCount,
            contenders: [plain, checked] + [plain, checked].map { $0.interrupted(after: seconds / 2) },
            bars: [
                .init(quantity: .time, subject: 1, reference: 0, bound: .atMost(1.05)),
                .init(quantity: .time, subject: 3, reference: 2, bound: .atMost(1.05)),
                .init(quantity: .cpu, subject: 1, reference: 0, bound: .none),
            ],
            rounds: (rounds + 1) / 2
        )
    }

    /// The worst case: bytes come as fast as they are hashed, and server, transfer and digest share the cores.
    private func unlimited() throws -> Comparison {
        let byteCount = Int64.gibibyte
        let (plain, checked) = try contenders(byteCount)
        return Comparison(
            name: "1 GiB, loopback",
            startServer: Link.loopback.startServer,
            byteCount: byteCount,
            contenders: [plain, checked, plain.thenSHA256],
            bars: [
                .init(quantity: .time, subject: 1, reference: 0, bound: .none),
                .init(quantity: .time, subject: 1, reference: 2, bound: .atMost(1)),
            ],
            rounds: rounds
        )
    }

    private func contenders(_ byteCount: Int64) throws -> (plain: Contender, checked: Contender) {
        let digest = try sha256(PatternContent(seed: 1, length: byteCount))
        var checked = Contender.segdl(workplace.segdl, jobs: 8, options: ["--checksum=sha256:\(digest)"])
        checked.name = "segdl -j8 --checksum"
        return (.segdl(workplace.segdl, jobs: 8), checked)
    }

    private func sha256(_ content: PatternContent) throws -> String {
        let path = workplace.scratch + "/to-hash"
        try content.write(toFileAt: path)
        defer { try? remove(path) }
        return try FileDigest.sha256(ofFileAt: path)
    }
}
