import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

@Suite struct SessionTests {
    private let content = PatternContent(seed: 31, length: 4 * MiB)

    @Test("There are never more connections than jobs, the probe's is reused, and the ranges tile the file")
    func connections() throws {
        let harness = try DownloadHarness()
        try FaultServer.run(["/file": Route(content) { $0.bytesPerSecond = 20_000_000 }]) { server in
            _ = try harness.run(server.url("/file"), options: DownloadHarness.options(jobs: 8)) {
                $0.segmentSize = 512 * KiB
            }.get()
            #expect(server.log.maximumConcurrentConnections <= 8)
            #expect(server.log.connectionCount <= 8)
            #expect(server.requests.filter { $0.method == "HEAD" }.count == 1)
            #expect(server.requests.askedRanges.tile(0..<content.length))
        }
    }

    @Test("What each connection brought is told, and is all that was received", arguments: [true, false])
    func connectionBytes(hasRanges: Bool) throws {
        let harness = try DownloadHarness()
        let route = Route(content) { if !hasRanges { $0.ranges = .ignored } }
        try FaultServer.run(["/file": route]) { server in
            let session = try Session(DownloadHarness.options(jobs: 4))
            defer { session.close() }
            let download = harness.start(harness.request(server.url("/file")), in: session)
            let report = try download.wait()
            let counts = download.progress.connectionByteCounts
            #expect(counts.reduce(0, +) == report.receivedByteCount)
            if hasRanges { #expect(counts.count == 4 && counts.allSatisfy { $0 > 0 }) }
        }
    }

    @Test("A request size of one segment asks for each segment once, over connections that are kept")
    func requestSize() throws {
        let harness = try DownloadHarness()
        try FaultServer.run(["/file": Route(content)]) { server in
            _ = try harness.run(server.url("/file")) { $0.requestSize = 1 }.get()
            let asked = server.requests.askedRanges
            #expect(asked.tile(0..<content.length))
            #expect(asked.count == 64)
            #expect(server.log.connectionCount <= 4)
        }
    }

    @Test("A slow connection's work is taken over, and its connection is not used again")
    func steal() throws {
        let harness = try DownloadHarness()
        var options = DownloadHarness.options(jobs: 4)
        options.stallTimeout = .seconds(20)
        let route = Route(content).on(.onConnections([2])) { $0.bytesPerSecond = 20_000 }
        try FaultServer.run(["/file": route]) { server in
            _ = try harness.run(server.url("/file"), options: options).get()
            #expect(try content.matches(fileAt: harness.folder.path("file")))
            let slow = server.requests.filter { $0.connection == 2 }
            #expect(slow.count == 1)
            #expect(try server.settledLog().requests.filter { $0.connection == 2 }.map(\.end) == [.closedByClient])
        }
    }

    @Test("A session that has nothing to do holds no file of its last download, nor that file's lock")
    func idle() throws {
        let harness = try DownloadHarness()
        // The last connection fails for good when the others have brought theirs.
        let route = Route(content).on(.covering(content.length - 1)) { $0.fail(404) }
        try FaultServer.run(["/file": route]) { server in
            let idle = try Session(DownloadHarness.options())
            defer { idle.close() }
            let download = harness.start(harness.request(server.url("/file")), in: idle)
            #expect(throws: DownloadError.self) { try download.wait() }
            server.setRoute("/file", Route(content))
            let report = try harness.run(server.url("/file")).get()
            #expect(report.length == content.length)
        }
    }

    @Test("Downloads of a session share its connections, and none waits for another's end")
    func several() throws {
        let harness = try DownloadHarness()
        let small = PatternContent(seed: 32, length: 100_000)
        let silent = Route(small).on(.gets) { $0.stallAfter = 1000 }
        let routes = ["/silent": silent, "/a": Route(content), "/b": Route(small)]
        try FaultServer.run(routes) { server in
            var options = DownloadHarness.options(jobs: 4)
            options.stallTimeout = .seconds(100)
            let session = try Session(options)
            defer { session.close() }
            let downloads = ["/silent", "/a", "/b", "/missing", "/c"].map { path in
                harness.start(harness.request(server.url(path)), in: session)
            }
            #expect(try downloads[1].wait().length == content.length)
            #expect(try downloads[2].wait().length == small.length)
            #expect(throws: DownloadError.self) { try downloads[3].wait() }
            #expect(server.log.maximumConcurrentConnections <= 4)
            #expect(session.waitForRoom())
            session.cancel()
            #expect(!session.waitForRoom())
            #expect(throws: DownloadError.self) { try downloads[0].wait() }
        }
    }

    @Test("A download is opened only when those before it can't use a free connection")
    func order() throws {
        let harness = try DownloadHarness()
        let slow = Route(content) { $0.bytesPerSecond = 4_000_000 }
        try FaultServer.run(["/a": slow, "/b": Route(content)]) { server in
            let session = try Session(DownloadHarness.options(jobs: 4))
            defer { session.close() }
            let first = harness.start(harness.request(server.url("/a")), in: session)
            try server.waitUntil { $0.requests.filter { $0.method == "GET" }.count == 4 }
            let second = harness.start(harness.request(server.url("/b")), in: session)
            _ = try first.wait()
            _ = try second.wait()
            let requests = try server.settledLog().requests
            let firstOfSecond = try #require(requests.firstIndex { $0.path == "/b" })
            #expect(requests[..<firstOfSecond].filter { $0.method == "GET" }.askedRanges.tile(0..<content.length))
            #expect(server.log.maximumConcurrentConnections <= 4)
        }
    }

    @Test("A host that bears 2 connections serves a list of files, two at a time", arguments: [false, true])
    func limitedHost(skipsHead: Bool) throws {
        let harness = try DownloadHarness()
        let small = PatternContent(seed: 34, length: 100_000)
        let route = Route(small) {
            $0.bytesPerSecond = 1_000_000
            $0.maximumConcurrentRequests = 2
            $0.surplus = .status(503)
        }
        let paths = (0..<12).map { "/\($0)" }
        try FaultServer.run(Dictionary(uniqueKeysWithValues: paths.map { ($0, route) })) { server in
            let session = try Session(PushbackTests.options())
            defer { session.close() }
            let downloads = paths.map { path in
                harness.start(harness.request(server.url(path)) { $0.skipsHead = skipsHead }, in: session)
            }
            for download in downloads { #expect(try download.wait().length == small.length) }
            // Six at the start, and some that came before the server had noticed the end of another.
            #expect(server.requests.filter(\.isSurplus).count <= 30)
        }
    }

    @Test("With HEAD left out, a small file costs one request, and one that is there is compared")
    func skippedHead() throws {
        let harness = try DownloadHarness()
        let small = PatternContent(seed: 33, length: 64 * KiB)
        try FaultServer.run(["/file": Route(small)]) { server in
            _ = try harness.run(server.url("/file")) { $0.skipsHead = true }.get()
            #expect(server.requests.map(\.method) == ["GET"])
            #expect(try small.matches(fileAt: harness.folder.path("file")))
            let again = try harness.run(server.url("/file")) { $0.skipsHead = true }.get()
            #expect(again.outcome == .existing)
            #expect(server.requests[1].method == "HEAD")
        }
    }

    @Test("A cancelled download ends soon, whatever it is doing", arguments: ["probe", "body", "wait"])
    func cancels(when: String) throws {
        let harness = try DownloadHarness()
        var options = DownloadHarness.options()
        options.headPatience = .seconds(100)
        options.stallTimeout = .seconds(100)
        options.retryWait = .seconds(100)
        let route =
            switch when {
            case "probe": Route(content).on(.heads) { $0.answer = .silence }
            case "body": Route(content).on(.gets) { $0.stallAfter = 1000 }
            default: Route(content).on(.gets) { $0.fail(503) }
            }
        try FaultServer.run(["/file": route]) { server in
            let session = try Session(options)
            let download = harness.start(harness.request(server.url("/file")), in: session)
            try server.waitUntil { log in
                when == "wait"
                    ? log.requests.contains { $0.end == .complete && $0.status == 503 } : !log.requests.isEmpty
            }
            session.close()
            do throws(DownloadError) {
                _ = try download.wait()
                Issue.record("it was not cancelled")
            } catch {
                #expect(error.kind == .cancelled)
            }
            #expect(throws: DownloadError.self) {
                try harness.start(harness.request(server.url("/file")), in: session).wait()
            }
        }
    }

    @Test("Downloads can be awaited, and a cancelled task cancels its download")
    func awaited() async throws {
        let harness = try DownloadHarness()
        let content = content
        try await FaultServer.run(["/file": Route(content), "/slow": Route(content) { $0.bytesPerSecond = 1000 }]) {
            server in
            let session = try Session(DownloadHarness.options())
            let report = try await harness.start(harness.request(server.url("/file")), in: session).report()
            #expect(report.length == content.length)
            let slow = harness.start(harness.request(server.url("/slow")), in: session)
            let task = Task { try await slow.report() }
            task.cancel()
            let result = await task.result
            #expect(throws: DownloadError.self) { try result.get() }
            session.close()
        }
    }

    @Test("An option out of range is refused", arguments: [0, -1, 513, Int.max])
    func jobs(count: Int) {
        var options = SessionOptions()
        options.jobs = count
        #expect(throws: DownloadError.self) { try Session(options) }
    }

    @Test(
        "A URL that can't be fetched is refused before anything is sent",
        arguments: ["", "ftp://127.0.0.1/x", "file:///etc/passwd", "http://", "no url", "http://a b/"]
    )
    func badURLs(url: String) throws {
        let harness = try DownloadHarness()
        guard case .failure(let error) = try harness.run(url) else {
            Issue.record("it was accepted")
            return
        }
        #expect(error.kind == .usage)
        #expect(try harness.folder.names().isEmpty)
    }

    @Test("No event, error or file holds a secret of the URL or of a header line")
    func secrets() throws {
        let harness = try DownloadHarness()
        try FaultServer.run(["/file": Route(content).on(.covering(3 * MiB)) { $0.fail(404) }]) { server in
            let url = server.url("/file?token=geheim").replacing("http://", with: "http://me:geheim@") + "#geheim"
            let result = try harness.run(url) { $0.headers = ["X-Key: geheim"] }
            guard case .failure(let error) = result else {
                Issue.record("it passed")
                return
            }
            #expect(!"\(error)\(String(describing: error.url))".contains("geheim"))
            #expect(!"\(harness.seenEvents)".contains("geheim"))
        }
    }
}
