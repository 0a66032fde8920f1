import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

/// A slow connection at the end of a download (wild.md 46: aria2#1950, axel#391, Motrix#1580).
@Suite struct SlowTailTests {
    @Test("One connection of eight that is slow for its lifetime: the others take over what it has")
    func slowConnection() throws {
        let harness = try DownloadHarness()
        let content = PatternContent(seed: 46, length: 8 * MiB)
        let route = Route(content) { $0.bytesPerSecond = 4_000_000 }
            .on(.onConnections([3])) { $0.bytesPerSecond = 20_000 }
        try FaultServer.run(["/file": route]) { server in
            let start = ContinuousClock.now
            let report = try harness.run(server.url("/file"), options: DownloadHarness.options(jobs: 8)).get()
            let elapsed = ContinuousClock.now - start
            #expect(try content.matches(fileAt: harness.folder.path("file")))
            let sent = server.requests.filter { $0.connection == 3 && $0.method == "GET" }
                .reduce(0) { $0 + $1.bodyBytesSent }
            // Its share alone is 1 MiB, which takes it 52 s; all others have theirs after 0.3 s.
            #expect(sent > 0 && sent < 200_000)
            #expect(elapsed < .seconds(10))
            #expect(report.receivedByteCount < content.length + content.length / 10)
        }
    }
}
