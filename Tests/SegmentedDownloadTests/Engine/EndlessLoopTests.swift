import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

/// Servers that bring bytes each time, none of which stay: that is no progress.
@Suite struct EndlessLoopTests {
    private let content = PatternContent(seed: 11, length: 4 * MiB)

    @Test("A stream of other bytes each time, always cut, ends with 7 after a few")
    func otherBytesEachTime() throws {
        let harness = try DownloadHarness()
        var route = Route(content) {
            ($0.etag, $0.lastModified) = (.none, nil)
            ($0.ranges, $0.acceptRanges) = (.ignored, "none")
            $0.cut = .after(600_000)
        }
        for number in 1...60 {
            let next = PatternContent(seed: UInt64(100 + number), length: content.length)
            route = route.on(.gets, .numbers([number])) { $0.content = .pattern(next) }
        }
        try FaultServer.run(["/file": route]) { server in
            let result = try harness.run(server.url("/file"))
            let error = #expect(throws: DownloadError.self) { try result.get() }
            #expect(error?.kind == .protocol)
            #expect(server.requests.count < 20)
        }
    }

    private static let past0 = Requests.ranged.and(.beginning(at: 0).inverted)

    @Test("416 to parts of a file whose start comes slowly: a stream after a few")
    func unsatisfiable() throws {
        let harness = try DownloadHarness()
        let route = Route(content)
            .on(.ranged) { $0.bytesPerSecond = 100_000 }
            .on(Self.past0, .first(150)) { ($0.ranges, $0.delay) = (.unsatisfiable, .milliseconds(60)) }
        try FaultServer.run(["/file": route]) { server in
            _ = try harness.run(server.url("/file")).get()
            #expect(try content.matches(fileAt: harness.folder.path("file")))
            #expect(server.requests.count < 60)
        }
    }

    private func single(_ request: inout DownloadRequest) { request.requestSize = 64 * KiB }

    @Test("Ranges that are always ignored are given up after the fourth in a row")
    func ignoredRanges() throws {
        let harness = try DownloadHarness()
        try FaultServer.run(["/file": Route(content) { $0.ranges = .ignored }]) { server in
            _ = try harness.run(server.url("/file"), options: DownloadHarness.options(jobs: 1), single).get()
            #expect(try content.matches(fileAt: harness.folder.path("file")))
            // The first is blamed on If-Range, and the last asks whether HEAD was right.
            #expect(server.requests.filter { $0.range != nil }.count == 1 + 4 + 1)
        }
    }

    @Test("Ranges that are ignored every other time are given up, too, after the 17th")
    func halfOfTheRangesIgnored() throws {
        let harness = try DownloadHarness()
        let route = Route(content).on(.ranged, .numbers(Set(stride(from: 2, to: 200, by: 2)))) { $0.ranges = .ignored }
        try FaultServer.run(["/file": route]) { server in
            _ = try harness.run(server.url("/file"), options: DownloadHarness.options(jobs: 1), single).get()
            #expect(try content.matches(fileAt: harness.folder.path("file")))
            // The first is blamed on If-Range.
            #expect(server.requests.filter { $0.range != nil }.count == 2 * (1 + 17))
            #expect(harness.notes.contains { $0.contains("as one stream") })
        }
    }

    @Test("A link that runs out without another byte, each time, ends after a few")
    func link() throws {
        let harness = try DownloadHarness()
        let file = Route(content)
            .on(.ranged, .first(4)) { $0.cut = .after(20_000) }
            .on(.ranged, .after(4)) { $0.fail(404) }
        try FaultServer.run(["/start": .redirect(to: "/file"), "/file": file]) { server in
            let result = try harness.run(server.url("/start"))
            let error = #expect(throws: DownloadError.self) { try result.get() }
            #expect(error?.kind == .server)
            #expect((2..<12).contains(server.log.requests(for: "/start").count))
        }
    }
}
