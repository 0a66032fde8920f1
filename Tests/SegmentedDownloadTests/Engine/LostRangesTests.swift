import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

/// A server that had ranges in an earlier run, and has none now: one stream from 0 over the bytes that are held.
@Suite struct LostRangesTests {
    private let content = PatternContent(seed: 11, length: 4 * MiB)
    private let other = PatternContent(seed: 12, length: 4 * MiB)

    @Test("The file comes as a stream, with a note, also where HEAD says so", arguments: [true, false], [true, false])
    func stream(isSaid: Bool, hasValidators: Bool) throws {
        let harness = try DownloadHarness()
        let strip: @Sendable (inout Behaviour) -> Void = {
            if !hasValidators { ($0.etag, $0.lastModified) = (.none, nil) }
        }
        try FaultServer.run([:]) { server in
            try harness.leaveHalf(of: content, on: server, strip)
            let route = Route(content) {
                ($0.ranges, $0.acceptRanges) = (.ignored, isSaid ? "none" : "bytes")
                strip(&$0)
            }
            server.setRoute("/file", route)
            let report = try harness.run(server.url("/file")).get()
            #expect(report.length == content.length)
            #expect(report.resumedByteCount > 0)
            #expect(report.refetchedByteCount == report.resumedByteCount)
            #expect(try content.matches(fileAt: harness.folder.path("file")))
            #expect(harness.notes.contains { $0.contains("one plain stream") || $0.contains("as one stream") })
        }
    }

    @Test("A stream that breaks off loses nothing of what is held, and adds what it brought")
    func brokenStream() throws {
        let harness = try DownloadHarness()
        try FaultServer.run([:]) { server in
            try harness.leaveHalf(of: content, on: server)
            let route = Route(content) { ($0.ranges, $0.acceptRanges) = (.ignored, "none") }
            server.setRoute("/file", route.on(.gets) { $0.cut = .after(1_500_000) })
            let error = #expect(throws: DownloadError.self) { try harness.run(server.url("/file")).get() }
            #expect(error?.kind == .network)
            server.setRoute("/file", Route(content))
            let report = try harness.run(server.url("/file")).get()
            // The first 22 segments from the stream, 3 behind them and 9 in each of two ranges from the earlier run.
            #expect(report.resumedByteCount == (22 + 3 + 9 + 9) * 64 * KiB)
            #expect(try content.matches(fileAt: harness.folder.path("file")))
        }
    }

    @Test("Without validators a stream of other bytes is found out, and begun anew")
    func otherBytes() throws {
        let harness = try DownloadHarness()
        try FaultServer.run([:]) { server in
            try harness.leaveHalf(of: content, on: server) { ($0.etag, $0.lastModified) = (.none, nil) }
            server.setRoute(
                "/file",
                Route(other) {
                    ($0.etag, $0.lastModified) = (.none, nil)
                    ($0.ranges, $0.acceptRanges) = (.ignored, "none")
                }
            )
            _ = try harness.run(server.url("/file")).get()
            #expect(try other.matches(fileAt: harness.folder.path("file")))
            #expect(harness.notes.contains { $0.contains("thrown away") })
        }
    }

    @Test("A stream of other bytes that breaks off leaves nothing that a rerun takes for the file's")
    func otherBytesThatBreakOff() throws {
        let harness = try DownloadHarness()
        try FaultServer.run([:]) { server in
            try harness.leaveHalf(of: content, on: server)
            let other = other
            // HEAD knows the file; GETs give another one, without validators or ranges, and break off.
            let lying = Route(content).on(.gets) {
                $0.content = .pattern(other)
                ($0.etag, $0.lastModified, $0.ranges) = (.none, nil, .ignored)
                $0.cut = .after(2_000_000)
            }
            server.setRoute("/file", lying)
            #expect(throws: DownloadError.self) { try harness.run(server.url("/file")).get() }
            server.setRoute("/file", Route(content))
            _ = try harness.run(server.url("/file")).get()
            #expect(try content.matches(fileAt: harness.folder.path("file")))
        }
    }

    @Test("A length that is not told any more is a refusal, and nothing is lost")
    func lostLength() throws {
        let harness = try DownloadHarness()
        try FaultServer.run([:]) { server in
            try harness.leaveHalf(of: content, on: server)
            server.setRoute(
                "/file",
                Route(content) { ($0.ranges, $0.acceptRanges, $0.framing) = (.ignored, nil, .chunked) }
            )
            let error = #expect(throws: DownloadError.self) { try harness.run(server.url("/file")).get() }
            #expect(error?.kind == .protocol)
            server.setRoute("/file", Route(content))
            #expect(try harness.run(server.url("/file")).get().resumedByteCount > 0)
        }
    }
}
