import Foundation
import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

/// Each HEAD waits until the server has seen what is to be opened beside it.
@Suite(.timeLimit(.minutes(2))) struct PreconnectionTests {
    private static let large = PatternContent(seed: 51, length: 1 * MiB)
    /// One lease.
    private static let small = PatternContent(seed: 52, length: 10_000)

    private static func options(jobs: Int = 4) -> SessionOptions {
        var options = DownloadHarness.options(jobs: jobs)
        options.preconnectThreshold = .zero
        options.headPatience = .seconds(60)
        options.stallTimeout = .seconds(60)
        options.noProxy = "*"
        return options
    }

    /// HEAD waits for ``FaultServer/release()``, and so does each body, after its first bytes.
    private static func route(_ content: PatternContent, _ change: (inout Behaviour) -> Void = { _ in }) -> Route {
        Route(content, change).on(.heads) { $0.awaitsRelease = true }.on(.gets) { $0.stallAfter = 1000 }
    }

    /// Runs a download, and lets a closure watch it.
    private func run(
        _ routes: [String: Route],
        path: String = "/file",
        options: SessionOptions = options(),
        _ body: (Download, FaultServer, DownloadHarness) throws -> Void
    ) throws {
        let harness = try DownloadHarness()
        try FaultServer.run(routes) { server in
            do {
                let session = try Session(options)
                defer { session.close() }
                try body(harness.start(harness.request(server.url(path)), in: session), server, harness)
            }
            // The TCP connections that stand go with the session.
            try server.waitUntil { $0.openConnectionCount == 0 }
        }
    }

    @Test("A large file's connections are opened while HEAD is under way, and those are used and no others")
    func used() throws {
        try run(["/file": Self.route(Self.large)]) { download, server, _ in
            try server.waitUntil { $0.connectionCount == 4 && $0.stalledCount == 1 }
            #expect(server.requests.count == 1)
            try server.release()
            try server.waitUntil { $0.requests.count == 5 && $0.stalledCount == 4 }
            #expect(server.log.connectionCount == 4)
            #expect(Set(server.requests.dropFirst().map(\.connection)) == [1, 2, 3, 4])
            try server.release()
            #expect(try Self.large.matches(fileAt: download.wait().path))
        }
    }

    @Test("A redirect within the origin keeps them for the file that it leads to")
    func sameOrigin() throws {
        let routes = ["/start": Route.redirect(to: "/file"), "/file": Self.route(Self.large)]
        try run(routes, path: "/start") { download, server, _ in
            try server.waitUntil { $0.openConnectionCount == 4 && $0.stalledCount == 1 }
            try server.release()
            try server.waitUntil { $0.requests.count == 6 && $0.stalledCount == 4 }
            #expect(server.log.connectionCount == 4)
            try server.release()
            #expect(try Self.large.matches(fileAt: download.wait().path))
        }
    }

    @Test("Those that a small file has no use for are closed when its request is sent")
    func small() throws {
        try run(["/file": Self.route(Self.small)]) { download, server, _ in
            try server.waitUntil { $0.connectionCount == 4 && $0.stalledCount == 1 }
            try server.release()
            try server.waitUntil { $0.requests.count == 2 && $0.stalledCount == 1 && $0.openConnectionCount == 1 }
            try server.release()
            #expect(try Self.small.matches(fileAt: download.wait().path))
        }
    }

    @Test("A redirect to another origin closes those to the first one, before the other answers")
    func otherOrigin() throws {
        let hole = try BlackHole("127.0.0.3")
        var options = Self.options()
        options.connectTimeout = .seconds(60)
        let routes = ["/start": Route.redirect(to: "http://127.0.0.3:\(hole.port)/file")]
        try run(routes, path: "/start", options: options) { download, server, _ in
            try server.waitUntil { $0.connectionCount == 4 && $0.openConnectionCount == 1 }
            download.cancel()
        }
    }

    @Test("Those to the origin that a redirect leads to are used")
    func redirected() throws {
        let harness = try DownloadHarness()
        try FaultServer.run(["/file": Self.route(Self.large)], address: "127.0.0.2") { other in
            try FaultServer.run(["/start": .redirect(to: other.url("/file"))]) { server in
                let session = try Session(Self.options())
                defer { session.close() }
                let download = harness.start(harness.request(server.url("/start")), in: session)
                try other.waitUntil { $0.connectionCount == 4 && $0.stalledCount == 1 }
                try other.release()
                try other.waitUntil { $0.requests.count == 5 && $0.stalledCount == 4 }
                #expect(other.log.connectionCount == 4)
                try server.waitUntil { $0.connectionCount == 4 && $0.openConnectionCount == 1 }
                try other.release()
                #expect(try Self.large.matches(fileAt: download.wait().path))
            }
        }
    }

    /// How a HEAD comes to nothing.
    enum Failure: CaseIterable { case refused, broken, unanswered }

    @Test("Where HEAD is no use they are closed, before the GET that follows is over", arguments: Failure.allCases)
    func noUse(failure: Failure) throws {
        var options = Self.options()
        if failure == .unanswered { options.headPatience = .milliseconds(400) }
        let route = Self.route(Self.small).on(.gets) { $0.awaitsRelease = true }.on(.heads) {
            if failure == .refused { $0.status = 405 }
            if failure == .broken { $0.answer = .reset }
        }
        try run(["/file": route], options: options) { download, server, _ in
            try server.waitUntil { $0.connectionCount >= 4 && $0.stalledCount == 1 }
            if failure != .unanswered { try server.release() }
            try server.waitUntil { $0.requests.count == 2 && $0.stalledCount == 1 && $0.openConnectionCount == 1 }
            try server.release()
            try server.waitUntil { $0.requests.count == 2 && $0.stalledCount == 1 }
            try server.release()
            #expect(try Self.small.matches(fileAt: download.wait().path))
        }
    }

    @Test("A stop while HEAD is under way closes them")
    func stopped() throws {
        try run(["/file": Self.route(Self.large)]) { download, server, _ in
            try server.waitUntil { $0.connectionCount == 4 && $0.stalledCount == 1 }
            download.cancel()
            #expect(throws: DownloadError.self) { try download.wait() }
            try server.waitUntil { $0.openConnectionCount == 0 }
        }
    }

    @Test("Where the server has closed them meanwhile others are opened, and nothing is said to have failed")
    func closedByServer() throws {
        try run(["/file": Self.route(Self.large)]) { download, server, harness in
            try server.waitUntil { $0.connectionCount == 4 && $0.stalledCount == 1 }
            server.closeConnections(2...4)
            try server.waitUntil { $0.openConnectionCount == 1 }
            try server.release()
            try server.waitUntil { $0.requests.count == 5 && $0.stalledCount == 4 }
            #expect(server.log.connectionCount == 7)
            try server.release()
            #expect(try Self.large.matches(fileAt: download.wait().path))
            #expect(harness.failedConnections.isEmpty)
            #expect(!harness.seenEvents.contains { if case .retry = $0 { true } else { false } })
        }
    }

    @Test("A limit on the rate bears them")
    func limitedRate() throws {
        var options = Self.options()
        // A connection's share is less than the 64 KiB from which on its socket's buffer is limited.
        options.rateLimit = 240 * KiB
        let content = PatternContent(seed: 53, length: 256 * KiB)
        try run(["/file": Self.route(content)], options: options) { download, server, _ in
            try server.waitUntil { $0.connectionCount == 4 && $0.stalledCount == 1 }
            try server.release()
            try server.waitUntil { $0.requests.count == 5 && $0.stalledCount == 4 }
            #expect(server.log.connectionCount == 4)
            try server.release()
            #expect(try content.matches(fileAt: download.wait().path))
        }
    }

    @Test("Through a proxy they lead to the proxy", arguments: [ProxyScript.Kind.http, .socks5])
    func proxy(kind: ProxyScript.Kind) throws {
        let proxy = try ProxyServer(ProxyScript { $0.kind = kind })
        defer { proxy.stop() }
        var options = Self.options()
        options.proxy = kind == .http ? proxy.authority : "socks5h://\(proxy.authority)"
        options.noProxy = ""
        try run(["/file": Self.route(Self.large)], options: options) { download, server, _ in
            try server.waitUntil { $0.stalledCount == 1 }
            for _ in 0..<2000 where proxy.connectionCount < 4 { usleep(10_000) }
            #expect(proxy.connectionCount == 4)
            #expect(server.requests.count == 1)
            try server.release()
            try server.waitUntil { $0.requests.count == 5 && $0.stalledCount == 4 }
            #expect(proxy.connectionCount == 4)
            try server.release()
            #expect(try Self.large.matches(fileAt: download.wait().path))
        }
    }

    /// Leaves half of a file without validators, whose held bytes a rerun compares with the server's.
    private func rerun(
        _ change: @escaping @Sendable (inout Behaviour) -> Void,
        _ body: (Download, FaultServer) throws -> Void
    ) throws {
        let harness = try DownloadHarness()
        let content = PatternContent(seed: 54, length: 4 * MiB)
        let strip: @Sendable (inout Behaviour) -> Void = { ($0.etag, $0.lastModified) = (.none, nil) }
        try FaultServer.run([:]) { server in
            try harness.leaveHalf(of: content, on: server, strip)
            try server.waitUntil { $0.openConnectionCount == 0 }
            let before = server.log.connectionCount
            let route = Route(content, strip).on(.heads) { $0.awaitsRelease = true }
            server.setRoute("/file", route.on(.gets, .always, change))
            var options = Self.options()
            options.retryWait = .seconds(60)
            let session = try Session(options)
            defer { session.close() }
            let download = harness.start(harness.request(server.url("/file")), in: session)
            try server.waitUntil { $0.connectionCount == before + 4 && $0.stalledCount == 1 }
            try server.release()
            try body(download, server)
        }
    }

    @Test("Who has to wait before it asks again closes them")
    func waiting() throws {
        try rerun {
            $0.status = 503
        } _: { download, server in
            try server.waitUntil { $0.requests.last?.status == 503 && $0.openConnectionCount == 0 }
            download.cancel()
        }
    }

    @Test("A stream closes them before it begins")
    func stream() throws {
        try rerun {
            ($0.ranges, $0.stallAfter) = (.ignored, 1000)
        } _: { download, server in
            try server.waitUntil { $0.requests.last?.range == nil && $0.openConnectionCount == 1 }
            download.cancel()
        }
    }

    @Test("A file that is complete closes them before it is hashed")
    func complete() throws {
        let harness = try DownloadHarness()
        try Self.large.write(toFileAt: harness.folder.path("copy"))
        let digest = try FileDigest.sha256(ofFileAt: harness.folder.path("copy"))
        let right = try #require(Checksum("sha256:\(digest)"))
        let wrong = try #require(Checksum("sha256:" + String(repeating: "0", count: 64)))
        try FaultServer.run(["/file": Route(Self.large)]) { server in
            let refused = try harness.run(server.url("/file")) { $0.checksum = wrong }
            #expect(throws: DownloadError.self) { try refused.get() }
            try server.waitUntil { $0.openConnectionCount == 0 }
            let before = server.log.connectionCount
            let session = try Session(Self.options())
            defer { session.close() }
            let download = session.start(harness.request(server.url("/file")) { $0.checksum = right }) { event in
                guard case .phase(.verifying) = event else { return }
                do {
                    try server.waitUntil { $0.connectionCount == before + 4 && $0.openConnectionCount == 1 }
                } catch {
                    Issue.record("\(error)")
                }
            }
            #expect(try download.wait().verification == .checksum)
            #expect(server.log.connectionCount == before + 4)
        }
    }

    /// Where nothing is to be opened.
    enum Exception: CaseIterable { case near, one, interface, list, existing }

    @Test("Nothing is opened where nothing would be gained, or it could not be used", arguments: Exception.allCases)
    func exceptions(exception: Exception) throws {
        let harness = try DownloadHarness()
        var options = Self.options(jobs: exception == .one ? 1 : 4)
        if exception == .near { options.preconnectThreshold = .seconds(60) }
        if exception == .interface { options.interface = "127.0.0.1" }
        if exception == .existing { try Self.small.write(toFileAt: harness.folder.path("file")) }
        try FaultServer.run(["/file": Route(Self.small)]) { server in
            let report = try harness.run(server.url("/file"), options: options) {
                $0.skipsHead = exception == .list
                $0.output = "file"
            }.get()
            #expect(report.length == Self.small.length)
            // The kernel hands connections over in their order: this one is the last.
            let client = try RawClient(port: server.port)
            #expect(try client.get("/file").status == 200)
            #expect(server.log.connectionCount == 2)
        }
    }

    @Test(
        "TLS runs over them",
        .enabled(if: NginxServer.missing == nil, "nginx is not installed")
    )
    func secure() throws {
        let nginx = try NginxServer()
        defer { nginx.stop() }
        let content = try nginx.makeFile("file", length: 8 * MiB, seed: 53)
        let harness = try DownloadHarness()
        var options = Self.options()
        options.certificateAuthorityFile = nginx.authorityPath
        let report = try harness.run(nginx.secureURL("/file"), options: options).get()
        #expect(try content.matches(fileAt: report.path))
        let log = try nginx.accessLog()
        // nginx numbers what it accepts: nothing was opened anew.
        let connections = Set(log.map(\.connection)).sorted()
        #expect(connections.count > 1)
        #expect(connections.last.map { $0 - connections[0] < 4 } == true)
    }
}
