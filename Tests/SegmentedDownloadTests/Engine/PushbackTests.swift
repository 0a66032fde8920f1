import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

/// Servers that bear fewer connections than are wanted (wild.md 43: ab-download-manager#570, aria2#1716, gopeed#1250).
@Suite struct PushbackTests {
    static let content = PatternContent(seed: 43, length: 2 * MiB)

    /// A route that serves so many requests at once, each slowly enough that they overlap.
    static func bears(_ count: Int, _ surplus: Behaviour.Surplus) -> Route {
        Route(content) {
            $0.bytesPerSecond = 2_000_000
            $0.maximumConcurrentRequests = count
            $0.surplus = surplus
        }
    }

    static func options() -> SessionOptions {
        var options = DownloadHarness.options(jobs: 8)
        options.retryRounds = 20
        options.retryWait = .milliseconds(50)
        options.growthPatience = .seconds(100)
        return options
    }

    static let surpluses: [Behaviour.Surplus] =
        [403, 429, 500, 502, 503, 520, 598].map { .status($0) } + [.reset, .close, .silence, .page]

    @Test("A server that bears 2 and refuses more in any way is given 2, and the file is right", arguments: surpluses)
    func surplus(_ surplus: Behaviour.Surplus) throws {
        let harness = try DownloadHarness()
        try FaultServer.run(["/file": Self.bears(2, surplus)]) { server in
            _ = try harness.run(server.url("/file"), options: Self.options()).get()
            #expect(try Self.content.matches(fileAt: harness.folder.path("file")))
            #expect(harness.notes == ["The server bears 2 connections at once: going on with those."])
            let refused = server.requests.filter(\.isSurplus)
            // Six at the start; a server that has not noticed yet that a connection was closed refuses further ones.
            #expect(refused.count >= 6 && refused.count <= 12, "\(refused.count)")
            let settled = try #require(refused.prefix(6).compactMap(\.endedAt).max()) + .milliseconds(100)
            #expect(server.requests.filter { $0.startedAt > settled }.mostAtOnce <= 3)
        }
    }

    @Test("Connections that are reset or refused beyond 2 are a limit too", arguments: [false, true])
    func connections(isRefused: Bool) throws {
        let harness = try DownloadHarness()
        let route = Route(Self.content) { $0.bytesPerSecond = 2_000_000 }
        try FaultServer.run(["/file": route], maximumConnections: 2, refusesSurplusConnections: isRefused) { server in
            _ = try harness.run(server.url("/file"), options: Self.options()).get()
            #expect(try Self.content.matches(fileAt: harness.folder.path("file")))
            #expect(harness.notes == ["The server bears 2 connections at once: going on with those."])
        }
    }

    @Test("A server that bears one connection gets one, with any number of jobs", arguments: [2, 8, 64])
    func one(jobs: Int) throws {
        let harness = try DownloadHarness()
        var options = Self.options()
        options.jobs = jobs
        try FaultServer.run(["/file": Self.bears(1, .status(503))]) { server in
            _ = try harness.run(server.url("/file"), options: options).get()
            #expect(try Self.content.matches(fileAt: harness.folder.path("file")))
            #expect(harness.notes == ["The server bears 1 connection at once: going on with it."])
        }
    }

    @Test("The next download of the session knows what the host bears")
    func isRemembered() throws {
        let harness = try DownloadHarness()
        let routes = ["/a": Self.bears(2, .status(503)), "/b": Self.bears(2, .status(503))]
        try FaultServer.run(routes) { server in
            let session = try Session(Self.options())
            defer { session.close() }
            for path in ["/a", "/b"] {
                _ = try harness.start(harness.request(server.url(path)), in: session).wait()
                #expect(try Self.content.matches(fileAt: harness.folder.path(String(path.dropFirst()))))
            }
            #expect(server.log.requests(for: "/b").filter(\.isSurplus).count <= 4)
            #expect(harness.notes.count == 1)
        }
    }

    @Test("One more is tried after a while, and when that is refused, after twice that")
    func isAskedRarely() throws {
        let harness = try DownloadHarness()
        var options = Self.options()
        options.growthPatience = .milliseconds(100)
        let content = PatternContent(seed: 44, length: 4 * MiB)
        let route = Route(content) {
            $0.bytesPerSecond = 1_000_000
            $0.maximumConcurrentRequests = 2
        }
        try FaultServer.run(["/file": route]) { server in
            _ = try harness.run(server.url("/file"), options: options).get()
            let start = try #require(server.requests.first?.startedAt)
            let tries = server.requests.filter { $0.isSurplus && $0.startedAt > start + .milliseconds(100) }
            // In two seconds: after 0.1, 0.3, 0.7, 1.5 s, with a refusal more each for what was closed a moment ago.
            #expect((1...10).contains(tries.count), "\(tries.count)")
            #expect(harness.notes.count == 1)
        }
    }

    @Test("It grows back where the server bears more again")
    func growsBack() throws {
        let harness = try DownloadHarness()
        var options = Self.options()
        options.growthPatience = .milliseconds(50)
        let content = PatternContent(seed: 45, length: 16 * MiB)
        let route = Route(content) { $0.bytesPerSecond = 2_000_000 }
        let few = route.on(.ranged) { $0.maximumConcurrentRequests = 1 }
        try FaultServer.run(["/file": few]) { server in
            let session = try Session(options)
            defer { session.close() }
            let download = harness.start(harness.request(server.url("/file")), in: session)
            try server.waitUntil { $0.requests.count { $0.isSurplus } >= 7 }
            server.setRoute("/file", route)
            try server.waitUntil { $0.requestsUnderWay == 8 }
            download.cancel()
        }
    }

    @Test("403 to every range ends at once: with nobody served it is no limit")
    func forbidden() throws {
        let harness = try DownloadHarness()
        try FaultServer.run(["/file": Route(Self.content).on(.gets) { $0.fail(403) }]) { server in
            guard case .failure(let error) = try harness.run(server.url("/file"), options: Self.options()) else {
                Issue.record("it passed")
                return
            }
            #expect(error.kind == .server)
            #expect(server.requests.count <= 9)
        }
    }

    @Test("A host that notices late that a connection has ended, and refuses the last one by 403, is asked again")
    func noticesLate() throws {
        let harness = try DownloadHarness()
        var options = Self.options()
        options.jobs = 2
        // The second connection is refused, and so is the next request of the first one, three times.
        let route = Route(Self.content) { $0.bytesPerSecond = 4_000_000 }
            .on(.ranged, .numbers([2, 3, 4, 5])) { $0.fail(403) }
        try FaultServer.run(["/file": route]) { server in
            _ = try harness.run(server.url("/file"), options: options).get()
            #expect(try Self.content.matches(fileAt: harness.folder.path("file")))
        }
    }

    @Test("A single connection that gets 403 or a page once after bytes is given another try", arguments: [403, 200])
    func aloneOnce(status: Int) throws {
        let harness = try DownloadHarness()
        var options = Self.options()
        options.jobs = 1
        let route = Route(Self.content).on(.ranged, .numbers([3, 9])) {
            if status == 403 { $0.fail(403) } else { ($0.maximumConcurrentRequests, $0.surplus) = (0, .page) }
        }
        try FaultServer.run(["/file": route]) { server in
            _ = try harness.run(server.url("/file"), options: options) { $0.requestSize = 128 * KiB }.get()
            #expect(try Self.content.matches(fileAt: harness.folder.path("file")))
            #expect(server.requests.filter { $0.method == "GET" }.count == 18)
            #expect(harness.notes.isEmpty)
        }
    }

    @Test("One range that is 403 for ever ends with the server's answer, the others are kept")
    func forbiddenRange() throws {
        let harness = try DownloadHarness()
        let route = Route(Self.content).on(.covering(1_000_000)) { $0.fail(403) }
        try FaultServer.run(["/file": route]) { server in
            guard case .failure(let error) = try harness.run(server.url("/file"), options: Self.options()) else {
                Issue.record("it passed")
                return
            }
            #expect(error.kind == .server && error.message.contains("403"))
            #expect(try harness.folder.names().sorted() == ["file.segdl.journal", "file.segdl.part"])
            #expect(server.requests.count <= 60)
        }
    }

    @Test("With no retry at all a refused surplus is no failure")
    func withoutRetries() throws {
        let harness = try DownloadHarness()
        var options = Self.options()
        options.retryRounds = 0
        try FaultServer.run(["/file": Self.bears(3, .status(503))]) { server in
            _ = try harness.run(server.url("/file"), options: options).get()
            #expect(try Self.content.matches(fileAt: harness.folder.path("file")))
        }
    }

    @Test("Surplus connections that get no answer are found out when others want their work, long before they stall")
    func silence() throws {
        let harness = try DownloadHarness()
        var options = Self.options()
        options.jobs = 3
        options.stallTimeout = .seconds(100)
        // Long enough for a busy machine's answers to be far from those that never come.
        let route = Self.bears(2, .silence).on(.all) { $0.bytesPerSecond = 500_000 }
        try FaultServer.run(["/file": route]) { server in
            _ = try harness.run(server.url("/file"), options: options).get()
            #expect(try Self.content.matches(fileAt: harness.folder.path("file")))
            #expect(harness.notes == ["The server bears 2 connections at once: going on with those."])
            #expect(server.requests.filter(\.isSurplus).count <= 3)
        }
    }

    @Test(
        "Answers that are late, the first one's too or not, are no refusals: the host goes on to bear all connections",
        arguments: [600, 0]
    )
    func lateAnswers(firstDelay: Int) throws {
        let harness = try DownloadHarness()
        var options = Self.options()
        options.jobs = 4
        options.stallTimeout = .seconds(100)
        let prompt = Route(Self.content) { $0.bytesPerSecond = 2_000_000 }
        let late = prompt.on(.ranged) { $0.delay = .milliseconds(1500) }
            .on(.ranged, .first(1)) { $0.delay = .milliseconds(firstDelay) }
        try FaultServer.run(["/late": late, "/prompt": prompt]) { server in
            let session = try Session(options)
            defer { session.close() }
            for path in ["/late", "/prompt"] {
                _ = try harness.start(harness.request(server.url(path)), in: session).wait()
            }
            #expect(harness.notes.isEmpty)
            #expect(server.log.requests(for: "/prompt").filter { $0.method == "GET" }.mostAtOnce == 4)
        }
    }

    @Test("Where nobody is served all connections wait for the round, and give up together")
    func outage() throws {
        let harness = try DownloadHarness()
        var options = Self.options()
        options.retryRounds = 3
        let route = Route(Self.content) { $0.cut = .after(20_000) }.on(.ranged, .after(8)) { $0.answer = .reset }
        try FaultServer.run(["/file": route]) { server in
            let error = #expect(throws: DownloadError.self) {
                try harness.run(server.url("/file"), options: options).get()
            }
            #expect(error?.kind == .network)
            // libcurl sends a request again itself where a connection that was used before is reset.
            #expect(server.requests.count <= 8 * 2 * 6)
        }
    }

    @Test("A body that is cut while others are served is no refusal: it has brought bytes")
    func cutBody() throws {
        let harness = try DownloadHarness()
        let route = Route(Self.content) { $0.bytesPerSecond = 500_000 }
            .on(.covering(Self.content.length / 2), .first(2)) { $0.cut = .after(20_000) }
        try FaultServer.run(["/file": route]) { server in
            _ = try harness.run(server.url("/file"), options: Self.options()).get()
            let details = harness.seenEvents.compactMap { if case .detail(let text) = $0 { text } else { nil } }
            #expect(
                details.allSatisfy { !$0.contains("others are served") && !$0.contains("borne before") },
                "\(details)"
            )
        }
    }

    @Test("A server that restarts refuses all for a moment, and gets all connections again")
    func restart() throws {
        let harness = try DownloadHarness()
        // Long enough for a connection whose refusal is heard of when others are served again.
        let content = PatternContent(seed: 45, length: 64 * MiB)
        let route = Route(content) { $0.bytesPerSecond = 500_000 }
        var options = Self.options()
        options.growthPatience = .milliseconds(200)
        try FaultServer.run(["/file": route]) { server in
            let session = try Session(options)
            defer { session.close() }
            let download = harness.start(harness.request(server.url("/file")), in: session)
            try server.waitUntil { $0.requestsUnderWay == 8 && $0.bytesSent > 200_000 }
            server.setRoute("/file", Route(content) { $0.answer = .reset })
            server.closeConnections()
            try server.waitUntil { $0.requests.count { $0.end == .cutByScript } >= 8 }
            server.setRoute("/file", route)
            try server.waitUntil { $0.requestsUnderWay == 8 }
            #expect(harness.notes.isEmpty)
            download.cancel()
        }
    }
}

extension [RequestRecord] {
    /// The most that were being answered at once.
    var mostAtOnce: Int {
        map { record in
            count { $0.startedAt <= record.startedAt && ($0.endedAt ?? .seconds(1_000_000)) > record.startedAt }
        }.max() ?? 0
    }
}
