import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

/// Where word of another resource comes from a witness that may be wrong: HEAD, a single probe, another host.
@Suite struct DoubtfulChangeTests {
    private let content = PatternContent(seed: 11, length: 4 * MiB)
    private let other = PatternContent(seed: 12, length: 4 * MiB)
    private static let unvalidated: @Sendable (inout Behaviour) -> Void = { ($0.etag, $0.lastModified) = (.none, nil) }

    /// A route that leads to `first` once, and to `next` from then on.
    private static func turn(from first: String, to next: String) -> Route {
        Route.redirect(to: first).on(.all, .after(1)) { $0.redirect(to: next) }
    }

    private static func small(_ request: inout DownloadRequest) {
        request.requestSize = 64 * KiB
    }

    @Test("Where HEAD tells a wrong length, sample blocks are compared all the same")
    func wrongLengthWithoutValidators() throws {
        let harness = try DownloadHarness()
        try FaultServer.run([:]) { server in
            try harness.leaveHalf(of: content, on: server, Self.unvalidated)
            server.setRoute("/file", Route(other, Self.unvalidated).on(.heads) { $0.framing = .stated(5) })
            let report = try harness.run(server.url("/file")).get()
            #expect(report.resumedByteCount == 0)
            #expect(try other.matches(fileAt: harness.folder.path("file")))
        }
    }

    @Test("HEAD's wrong length is no change where a link runs out")
    func wrongLengthOfNewLink() throws {
        let harness = try DownloadHarness()
        let lying = Route(content).on(.heads) { $0.framing = .stated(300_000) }
        let routes = [
            "/start": Route.redirect(to: "/0").on(.all, .after(2)) { $0.redirect(to: "/1") },
            "/0": lying.on(.ranged, .after(8)) { $0.fail(403) }, "/1": lying,
        ]
        try FaultServer.run(routes) { server in
            _ = try harness.run(server.url("/start"), Self.small).get()
            #expect(try content.matches(fileAt: harness.folder.path("start")))
            #expect(!harness.notes.contains { $0.contains("thrown away") })
        }
    }

    @Test("Another host that a link leads to all of a sudden does not replace the file")
    func anotherHost() throws {
        let harness = try DownloadHarness()
        // Neither type nor validators: nothing but its host tells that it is a portal's page.
        let bare: @Sendable (inout Behaviour) -> Void = {
            Self.unvalidated(&$0)
            $0.contentType = nil
        }
        let routes = ["/0": Route(content, bare).on(.ranged, .after(6)) { $0.fail(403) }]
        try FaultServer.run(routes) { server in
            let portal = server.url("/portal").replacing("127.0.0.1", with: "localhost")
            server.setRoute("/portal", Route(.text("<html>log in</html>"), bare))
            server.setRoute("/start", Self.turn(from: "/0", to: portal))
            let result = try harness.run(server.url("/start"), Self.small)
            let error = #expect(throws: DownloadError.self) { try result.get() }
            #expect(error?.kind == .protocol)
            #expect(try harness.folder.names().sorted() == ["start.segdl.journal", "start.segdl.part"])
        }
    }

    @Test("Without validators the same path with another query is compared")
    func anotherQuery() throws {
        let (harness, other) = (try DownloadHarness(), other)
        let file = Route(content, Self.unvalidated)
            .on(.ranged.and(.matching { $0.target.hasSuffix("v=0") }), .after(6)) { $0.fail(403) }
            .on(.matching { $0.target.hasSuffix("v=1") }) { $0.content = .pattern(other) }
        let routes = ["/start": Self.turn(from: "/file?v=0", to: "/file?v=1"), "/file": file]
        try FaultServer.run(routes) { server in
            _ = try harness.run(server.url("/start"), Self.small).get()
            #expect(try other.matches(fileAt: harness.folder.path("start")))
            #expect(harness.notes.contains { $0.contains("thrown away") })
        }
    }

    @Test("An answer without length and body is no new version of the file")
    func emptyAnswer() throws {
        let harness = try DownloadHarness()
        try FaultServer.run([:]) { server in
            try harness.leaveHalf(of: content, on: server)
            server.setRoute("/file", Route(.bytes([])) { ($0.framing, $0.ranges) = (.untilClose, .ignored) })
            let result = try harness.run(server.url("/file"))
            let error = #expect(throws: DownloadError.self) { try result.get() }
            #expect(error?.kind == .protocol)
            server.setRoute("/file", Route(content))
            #expect(try harness.run(server.url("/file")).get().resumedByteCount > 0)
        }
    }

    @Test("Sample blocks are compared by their bytes, whatever the ETag of each answer")
    func samplesWithUnstableTag() throws {
        let harness = try DownloadHarness()
        let tags = (0..<500).map { "v\($0)" }
        try FaultServer.run([:]) { server in
            try harness.leaveHalf(of: content, on: server)
            server.setRoute("/new", Route(content) { $0.etag = .rotating(tags) })
            let report = try harness.run(server.url("/new")) { $0.output = "file" }.get()
            #expect(report.resumedByteCount > 0)
            // And of the finished file.
            #expect(try harness.run(server.url("/new")) { $0.output = "file" }.get().outcome == .existing)
        }
    }

    @Test("A server that sends less than a sample block at a time is asked for the rest")
    func shortSamples() throws {
        let harness = try DownloadHarness()
        try FaultServer.run([:]) { server in
            try harness.leaveHalf(of: content, on: server)
            server.setRoute(
                "/file",
                Route(content) {
                    Self.unvalidated(&$0)
                    $0.window = .first(10_000)
                }
            )
            #expect(try harness.run(server.url("/file")).get().resumedByteCount > 0)
        }
    }

    @Test("A sample block that goes on beyond its end is cut there, and proves nothing")
    func longSamples() throws {
        let harness = try DownloadHarness()
        try content.write(toFileAt: harness.folder.path("file"))
        let route = Route(content).on(.ranged) { ($0.framing, $0.surplusBytes) = (.chunked, 1000) }
        try FaultServer.run(["/file": route]) { server in
            let report = try harness.run(server.url("/file")).get()
            #expect(report.outcome == .existing)
            #expect(report.verification == .length)
        }
    }

    @Test("A range that is ignored once does not let another file pass by its length")
    func ignoredOnce() throws {
        let harness = try DownloadHarness()
        try other.write(toFileAt: harness.folder.path("file"))
        let route = Route(content).on(.ranged, .first(1)) { $0.ranges = .ignored }
        try FaultServer.run(["/file": route]) { server in
            let result = try harness.run(server.url("/file"))
            let error = #expect(throws: DownloadError.self) { try result.get() }
            #expect(error?.kind == .localFile)
        }
    }

    @Test("A server that answered HEAD is not given up after three failures of GET")
    func patienceAfterHead() throws {
        let harness = try DownloadHarness()
        let route = Route(content).on(.heads) { $0.framing = .stated(300_000) }
            .on(.gets, .numbers([2, 3, 4])) { $0.fail(503) }
        try FaultServer.run(["/file": route]) { server in
            _ = try harness.run(server.url("/file"), options: DownloadHarness.options(jobs: 1)).get()
            #expect(try content.matches(fileAt: harness.folder.path("file")))
        }
    }

    @Test("HEAD is answered where GET is redirected: the redirect is followed")
    func redirectOfGET() throws {
        let harness = try DownloadHarness()
        let routes = ["/file": Route(content).on(.gets) { $0.redirect(to: "/real") }, "/real": Route(content)]
        try FaultServer.run(routes) { server in
            _ = try harness.run(server.url("/file")).get()
            #expect(try content.matches(fileAt: harness.folder.path("file")))
        }
    }

    @Test("A probe without validators does not clear a suspicion: bytes are compared")
    func suspicion() throws {
        let (harness, other) = (try DownloadHarness(), other)
        // One answer tells that the file is another one, and all others from then on tell nothing.
        let route = Route(content).on(.gets, .after(6)) {
            ($0.content, $0.etag, $0.lastModified, $0.ifRange) = (.pattern(other), .none, nil, .ignored)
        }
        .on(.gets, .numbers([7])) { $0.etag = .strong("b") }
        try FaultServer.run(["/file": route]) { server in
            _ = try harness.run(server.url("/file"), Self.small).get()
            #expect(try other.matches(fileAt: harness.folder.path("file")))
        }
    }
}
