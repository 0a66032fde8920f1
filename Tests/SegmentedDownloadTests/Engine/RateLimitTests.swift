import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

/// Limits that do not limit, or that fight with timeouts (wild.md 49 and 50: aria2#1755, ab-download-manager#913, curl#4084,
/// curl#19661). Too few seconds are the fault that is looked for; a busy machine only adds to them.
@Suite struct RateLimitTests {
    /// What a download is made of.
    enum Kind: CaseIterable {
        case segments, tinyRequests, oneConnection, stream, chunked

        var route: Route {
            switch self {
            case .segments, .tinyRequests, .oneConnection: Route(RateLimitTests.content)
            case .stream: Route(RateLimitTests.content) { $0.ranges = .ignored }
            case .chunked: Route(RateLimitTests.content) { $0.framing = .chunked }
            }
        }
    }

    private static let content = PatternContent(seed: 149, length: 1 * MiB + 77)

    @Test("The whole session keeps to the limit, whatever a file is fetched by", arguments: Kind.allCases)
    func limits(kind: Kind) throws {
        let harness = try DownloadHarness()
        var options = DownloadHarness.options(jobs: kind == .oneConnection ? 1 : 8)
        options.rateLimit = 640 * KiB
        try FaultServer.run(["/file": kind.route]) { server in
            let report = try harness.run(server.url("/file"), options: options) {
                $0.requestSize = kind == .tinyRequests ? 1 : nil
            }.get()
            #expect(report.elapsed >= .milliseconds(1500))
            #expect(try Self.content.matches(fileAt: harness.folder.path("file")))
            guard kind == .segments else { return }
            // The even shares; a theft is a request more.
            #expect(server.requests.askedRanges.count == 8)
        }
    }

    @Test("Downloads of one session share the limit, and sample blocks count")
    func severalDownloads() throws {
        let harness = try DownloadHarness()
        let small = PatternContent(seed: 150, length: 200_000)
        var options = DownloadHarness.options()
        options.rateLimit = 400_000
        try FaultServer.run(["/a": Route(small), "/b": Route(small)]) { server in
            let session = try Session(options)
            defer { session.close() }
            let start = ContinuousClock.now
            var taken: Int64 = 0
            // The third is there already: its sample blocks are compared.
            for path in ["/a", "/b", "/b"] {
                let report = try harness.start(harness.request(server.url(path)), in: session).wait()
                taken += report.receivedByteCount
            }
            #expect(taken > 400_000)
            #expect(start.duration(to: .now) >= .seconds(Double(taken) / 400_000 - 0.1))
        }
    }

    /// At 2 KiB a second each of eight connections gets a read every 4 s, and the stall timeout is 0.4 s.
    @Test("A connection that the limit holds back does not stall, and goes on at once when the limit is lifted")
    func stallTimeout() throws {
        let harness = try DownloadHarness()
        var options = DownloadHarness.options(jobs: 8)
        options.rateLimit = 2 * KiB
        try FaultServer.run(["/file": Route(Self.content)]) { server in
            let session = try Session(options)
            defer { session.close() }
            let download = harness.start(harness.request(server.url("/file")), in: session)
            try harness.waitUntil(download, hasReceived: 6 * KiB)
            session.rateLimit = nil
            #expect(session.rateLimit == nil)
            let report = try download.wait()
            #expect(report.elapsed >= .seconds(2))
            #expect(try Self.content.matches(fileAt: harness.folder.path("file")))
            #expect(harness.failedConnections.isEmpty)
        }
    }

    @Test("A limit that is set in the middle of a run holds, and nothing is fetched twice for it")
    func setLater() throws {
        let harness = try DownloadHarness()
        let content = PatternContent(seed: 151, length: 8 * MiB)
        let route = Route(content) { $0.bytesPerSecond = 500_000 }
        try FaultServer.run(["/file": route]) { server in
            let session = try Session(DownloadHarness.options())
            defer { session.close() }
            let download = harness.start(harness.request(server.url("/file")), in: session)
            try server.waitUntil { $0.requestsUnderWay == 4 && $0.bytesSent > 256 * KiB }
            session.rateLimit = 64 * KiB
            // Requests with large receive buffers are ended: those would bring half a MiB at once. Then the workers have heard of it.
            try server.waitUntil { log in log.requests.count { $0.end == .closedByClient } >= 4 }
            let start = ContinuousClock.now
            let before = download.progress.receivedByteCount
            try harness.waitUntil(download, hasReceived: before + 128 * KiB)
            #expect(start.duration(to: .now) >= .seconds(1))
            session.rateLimit = 0
            let report = try download.wait()
            #expect(try content.matches(fileAt: harness.folder.path("file")))
            #expect(report.receivedByteCount == content.length)
            #expect(harness.failedConnections.isEmpty)
        }
    }
}
