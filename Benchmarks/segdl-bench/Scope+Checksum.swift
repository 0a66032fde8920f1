import SegmentedDownloadTestSupport

/// `checksum`: what `--checksum` costs. The bytes are hashed while the rest arrives, so that next to nothing is left at the end.
extension Scope {
    /// Eight connections come to 200 MB/s: the link is the limit, and neither processor nor disk.
    private static let connectionBytesPerSecond: Int64 = 25_000_000

    func checksum() throws -> [Comparison] { [try limited(), try unlimited()] }

    /// From the start, and after a kill at half of the file.
    private func limited() throws -> Comparison {
        let byteCount = byteCount(4 * .gibibyte)
        let (plain, checked) = try contenders(byteCount)
        let seconds = Double(byteCount) / Double(8 * Self.connectionBytesPerSecond)
        return Comparison(
            name: "\(byteCount.byteUnits) at 200 MB/s",
            venues: [{ _ in try ScriptedServer(bytesPerSecond: Self.connectionBytesPerSecond) }],
            files: FileSet(byteCount: byteCount),
            contenders: [plain, checked] + [plain, checked].map { $0.interrupted(after: seconds / 2) },
            bars: [
                .time(1, 0, atMost: 1.05), .time(3, 2, atMost: 1.05),
                .init(quantity: .cpu, subject: 1, reference: .contender(0), bound: .none),
            ],
            rounds: (rounds + 1) / 2
        )
    }

    /// The worst case: bytes come as fast as they are hashed, and server, transfer and digest share the cores.
    private func unlimited() throws -> Comparison {
        let byteCount = byteCount(.gibibyte)
        let (plain, checked) = try contenders(byteCount)
        return Comparison(
            name: "\(byteCount.byteUnits), loopback",
            venues: [Link.loopback.startServer],
            files: FileSet(byteCount: byteCount),
            contenders: [plain, checked, plain.thenSHA256],
            bars: [
                .init(quantity: .time, subject: 1, reference: .contender(0), bound: .none), .time(1, 2, atMost: 1),
            ],
            rounds: rounds
        )
    }

    private func contenders(_ byteCount: Int64) throws -> (plain: Contender, checked: Contender) {
        let digest = try sha256(PatternContent(seed: 1, length: byteCount))
        var checked = Contender.segdl(segdl, jobs: 8, options: ["--checksum=sha256:\(digest)"])
        checked.name = "segdl -j8 --checksum"
        return (.segdl(segdl, jobs: 8), checked)
    }

    private func sha256(_ content: PatternContent) throws -> String {
        let path = workplace.scratch + "/to-hash"
        try content.write(toFileAt: path)
        defer { try? remove(path) }
        return try FileDigest.sha256(ofFileAt: path)
    }
}
