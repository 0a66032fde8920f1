import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

/// Addresses that a redirect led to and that are good for a while only.
@Suite struct ExpiringLinkTests {
    private let content = PatternContent(seed: 3, length: 1 * MiB)
    private let other = PatternContent(seed: 4, length: 1 * MiB)

    /// A route that leads to `/0`, `/1`, … in turn.
    private static func turns(_ count: Int) -> Route {
        (1..<count).reduce(Route.redirect(to: "/0")) { route, number in
            route.on(.all, .after(number)) { $0.redirect(to: "/\(number)") }
        }
    }

    @Test("A link that runs out is resolved anew from the original URL", arguments: [400, 401, 403, 404, 410])
    func expires(status: Int) throws {
        let harness = try DownloadHarness()
        let routes = [
            "/start": Self.turns(2), "/0": Route(content).on(.ranged, .after(2)) { $0.fail(status) },
            "/1": Route(content),
        ]
        try FaultServer.run(routes) { server in
            let report = try harness.run(server.url("/start")).get()
            #expect(report.length == content.length)
            #expect(try content.matches(fileAt: harness.folder.path("start")))
            #expect(server.log.requests(for: "/start").count == 2)
        }
    }

    @Test("A signature that runs out is renewed as often as it takes, while bytes come")
    func renewed() throws {
        let harness = try DownloadHarness()
        let content = content
        // Each signature is good for two requests.
        let redirect = (1..<40).reduce(Route.redirect(to: "/file?sig=0")) { route, number in
            route.on(.all, .after(number)) { $0.redirect(to: "/file?sig=\(number)") }
        }
        let file = (0..<40).reduce(Route(content)) { route, number in
            route.on(.gets.and(.matching { $0.target.hasSuffix("sig=\(number)") }), .after(2)) { $0.fail(403) }
        }
        try FaultServer.run(["/start": redirect, "/file": file]) { server in
            _ = try harness.run(server.url("/start"), options: DownloadHarness.options(jobs: 2)) {
                $0.requestSize = 64 * KiB
            }.get()
            #expect(try content.matches(fileAt: harness.folder.path("start")))
            #expect(server.log.requests(for: "/start").count > 6)
        }
    }

    /// A route whose links, one behind the other, are good for so many GETs, each cut after 20 kB.
    private func shortLived(_ count: Int) -> [String: Route] {
        let redirect = (1..<80).reduce(Route.redirect(to: "/file?sig=0")) { route, number in
            route.on(.all, .after(number)) { $0.redirect(to: "/file?sig=\(number)") }
        }
        let file = (0..<80).reduce(Route(content).on(.gets) { $0.cut = .after(20_000) }) { route, number in
            route.on(.gets.and(.matching { $0.target.hasSuffix("sig=\(number)") }), .after(count)) { $0.fail(403) }
        }
        return ["/start": redirect, "/file": file]
    }

    @Test("Links that run out before a segment is complete bring the file all the same: no byte is asked for twice")
    func withinASegment() throws {
        let harness = try DownloadHarness()
        // One to look, which is not taken, and one for 20 kB of a segment's 64 KiB.
        try FaultServer.run(shortLived(2)) { server in
            let report = try harness.run(server.url("/start"), options: DownloadHarness.options(jobs: 1)).get()
            #expect(try content.matches(fileAt: harness.folder.path("start")))
            // Nothing but what a look takes into its buffers.
            #expect(report.receivedByteCount < content.length + content.length / 4)
            #expect(server.log.requests(for: "/start").count > 20)
        }
    }

    @Test("Under another address the bytes of unfinished segments are compared too")
    func unfinishedBytes() throws {
        let (harness, other) = (try DownloadHarness(), other)
        let tag: @Sendable (inout Behaviour) -> Void = { $0.etag = .strong("x") }
        let routes = [
            "/start": Self.turns(2),
            "/0": Route(content, tag).on(.gets, .first(1)) { $0.cut = .after(20_000) }
                .on(.gets, .after(1)) { $0.fail(403) },
            "/1": Route(other, tag),
        ]
        try FaultServer.run(routes) { server in
            _ = try harness.run(server.url("/start"), options: DownloadHarness.options(jobs: 1)).get()
            #expect(try other.matches(fileAt: harness.folder.path("start")))
            #expect(harness.notes.contains { $0.contains("20000 bytes of the old version are thrown away") })
        }
    }

    @Test("Links that are good for one look, and for no part, end with 8 after a few")
    func goodForALook() throws {
        let harness = try DownloadHarness()
        try FaultServer.run(shortLived(1)) { server in
            let result = try harness.run(server.url("/start"), options: DownloadHarness.options(jobs: 1))
            let error = #expect(throws: DownloadError.self) { try result.get() }
            #expect(error?.kind == .server)
            #expect((6..<12).contains(server.log.requests(for: "/start").count))
        }
    }

    @Test("A link that runs out at once, each time, ends with 8 after a few")
    func neverGood() throws {
        let harness = try DownloadHarness()
        let routes = ["/start": Route.redirect(to: "/0"), "/0": Route(content).on(.gets) { $0.fail(403) }]
        try FaultServer.run(routes) { server in
            let error = #expect(throws: DownloadError.self) { try harness.run(server.url("/start")).get() }
            #expect(error?.kind == .server)
            #expect(server.log.requests(for: "/start").count < 10)
        }
    }

    @Test("The original URL's own 403 is final, and what came stays")
    func originalRefuses() throws {
        let harness = try DownloadHarness()
        let start = Route.redirect(to: "/0").on(.all, .after(1)) { $0.fail(403) }
        let routes = ["/start": start, "/0": Route(content).on(.ranged, .after(6)) { $0.fail(403) }]
        try FaultServer.run(routes) { server in
            let error = #expect(throws: DownloadError.self) {
                try harness.run(server.url("/start")) { $0.requestSize = 64 * KiB }.get()
            }
            #expect(error?.kind == .server)
            let names = try harness.folder.names().sorted()
            #expect(names == ["start.segdl.journal", "start.segdl.part"])
        }
    }

    @Test("A stream's link that runs out is resolved anew")
    func stream() throws {
        let harness = try DownloadHarness()
        let unranged: @Sendable (inout Behaviour) -> Void = { ($0.ranges, $0.acceptRanges) = (.ignored, "none") }
        let routes = [
            "/start": Self.turns(2),
            "/0": Route(content, unranged).on(.gets, .first(1)) { $0.cut = .after(500_000) }
                .on(.gets, .after(1)) { $0.fail(403) },
            "/1": Route(content, unranged),
        ]
        try FaultServer.run(routes) { server in
            _ = try harness.run(server.url("/start")).get()
            #expect(try content.matches(fileAt: harness.folder.path("start")))
        }
    }

    @Test("Under another address content decides: equal validators of another file don't pass")
    func equalValidators() throws {
        let harness = try DownloadHarness()
        let other = other
        let tag: @Sendable (inout Behaviour) -> Void = { $0.etag = .strong("x") }
        let routes = [
            "/start": Self.turns(2), "/0": Route(content, tag).on(.ranged, .after(6)) { $0.fail(403) },
            "/1": Route(other, tag),
        ]
        try FaultServer.run(routes) { server in
            _ = try harness.run(server.url("/start")) { $0.requestSize = 64 * KiB }.get()
            #expect(try other.matches(fileAt: harness.folder.path("start")))
            #expect(harness.notes.contains { $0.contains("thrown away") })
        }
    }

    @Test("Under another address content decides: other validators of the same file pass")
    func otherValidators() throws {
        let harness = try DownloadHarness()
        let routes = [
            "/start": Self.turns(2), "/0": Route(content).on(.ranged, .after(6)) { $0.fail(403) },
            "/1": Route(content) { ($0.etag, $0.lastModified) = (.strong("y"), "Fri, 02 Jan 2026 00:00:00 GMT") },
        ]
        try FaultServer.run(routes) { server in
            let report = try harness.run(server.url("/start")) { $0.requestSize = 64 * KiB }.get()
            #expect(try content.matches(fileAt: harness.folder.path("start")))
            // Sample blocks are fetched again, and no more.
            #expect(report.receivedByteCount < content.length + 10 * SampleSize.block)
        }
    }

    @Test("A login page in the link's place is no new version of the file")
    func loginPage() throws {
        let harness = try DownloadHarness()
        let routes = [
            "/start": Self.turns(2), "/0": Route(content).on(.ranged, .after(6)) { $0.fail(403) },
            "/1": Route(.text("<html>log in</html>")) { $0.contentType = "text/html" },
        ]
        try FaultServer.run(routes) { server in
            let error = #expect(throws: DownloadError.self) {
                try harness.run(server.url("/start")) { $0.requestSize = 64 * KiB }.get()
            }
            #expect(error?.kind == .protocol)
            let names = try harness.folder.names()
            #expect(names.contains("start.segdl.journal"))
        }
    }
}

private enum SampleSize {
    static let block: Int64 = 16 * KiB
}
