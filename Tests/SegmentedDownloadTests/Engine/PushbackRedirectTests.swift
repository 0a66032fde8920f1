import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

/// Where 403 may mean two things: too many connections (wild.md 43), or a signed link that ran out (wild.md 61).
@Suite struct PushbackRedirectTests {
    private let content = PushbackTests.content

    @Test("A limit by 403 behind a redirect is a limit: the original is not resolved again", arguments: [1, 2, 5])
    func limit(bears: Int) throws {
        let harness = try DownloadHarness()
        let routes = ["/start": Route.redirect(to: "/file"), "/file": PushbackTests.bears(bears, .status(403))]
        try FaultServer.run(routes) { server in
            _ = try harness.run(server.url("/start"), options: PushbackTests.options()).get()
            #expect(try content.matches(fileAt: harness.folder.path("start")))
            #expect(server.log.requests(for: "/start").count <= 2)
            #expect(harness.notes.count == 1)
        }
    }

    @Test("A link that runs out is resolved again while others are still served, and costs no connections")
    func expiry() throws {
        let harness = try DownloadHarness()
        let slow = Route(content) { $0.bytesPerSecond = 400_000 }
        let routes = [
            "/start": Route.redirect(to: "/a").on(.all, .after(1)) { $0.redirect(to: "/b") },
            "/a": slow.on(.ranged, .after(12)) { $0.fail(403) },
            "/b": slow,
        ]
        try FaultServer.run(routes) { server in
            _ = try harness.run(server.url("/start"), options: PushbackTests.options()) {
                $0.requestSize = 128 * KiB
            }.get()
            #expect(try content.matches(fileAt: harness.folder.path("start")))
            #expect(server.log.requests(for: "/start").count == 2)
            #expect(server.log.requests(for: "/b").mostAtOnce == 8)
            #expect(harness.notes.isEmpty)
        }
    }

    @Test("A link that runs out is resolved again while one connection goes on for long")
    func expiryBesideSlow() throws {
        let harness = try DownloadHarness()
        var options = PushbackTests.options()
        options.jobs = 3
        options.stallTimeout = .seconds(20)
        let old = Route(content) { $0.bytesPerSecond = 1_000_000 }
            .on(.ranged, .after(12)) { $0.fail(403) }
            .on(.covering(0)) { $0.bytesPerSecond = 4000 }
        let routes = [
            "/start": Route.redirect(to: "/a").on(.all, .after(1)) { $0.redirect(to: "/b") },
            "/a": old, "/b": Route(content),
        ]
        try FaultServer.run(routes) { server in
            let session = try Session(options)
            defer { session.close() }
            let request = harness.request(server.url("/start")) { $0.requestSize = 64 * KiB }
            let download = harness.start(request, in: session)
            // The slow one alone would take 16 s.
            try server.waitUntil(timeout: .seconds(8)) { $0.requests(for: "/start").count == 2 }
            _ = try download.wait()
            #expect(try content.matches(fileAt: harness.folder.path("start")))
        }
    }

    @Test("A limit by 403 and links that run out again and again end with the file")
    func both() throws {
        let harness = try DownloadHarness()
        let route = PushbackTests.bears(2, .status(403)).on(.ranged, .after(16)) { $0.fail(403) }
        let routes = [
            "/start": Route.redirect(to: "/a")
                .on(.all, .numbers([2])) { $0.redirect(to: "/b") }
                .on(.all, .after(2)) { $0.redirect(to: "/c") },
            "/a": route, "/b": route, "/c": PushbackTests.bears(2, .status(403)),
        ]
        try FaultServer.run(routes) { server in
            _ = try harness.run(server.url("/start"), options: PushbackTests.options()) {
                $0.requestSize = 256 * KiB
            }.get()
            #expect(try content.matches(fileAt: harness.folder.path("start")))
            #expect(server.log.requests(for: "/start").count <= 5)
        }
    }
}
