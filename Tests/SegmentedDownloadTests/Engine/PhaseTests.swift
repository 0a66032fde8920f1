import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct PhaseTests {
    private let content = PatternContent(seed: 481, length: 1 * MiB)

    @Test(
        "The wait for the disk has a name of its own, told once, for ranges and for a stream",
        arguments: [true, false]
    )
    func syncing(hasRanges: Bool) throws {
        let route = Route(content) { if !hasRanges { ($0.ranges, $0.acceptRanges) = (.ignored, nil) } }
        try FaultServer.run(["/file": route]) { server in
            let harness = try DownloadHarness()
            _ = try harness.run(server.url("/file")).get()
            let phases = harness.seenEvents.compactMap { if case .phase(let phase) = $0 { phase } else { nil } }
            #expect(phases == [.transferring, .syncing])
        }
    }
}
