import Dispatch
import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

/// Hosts that ask to be left alone (wild.md 42: aria2#2295, aria2#1421, gopeed#887).
@Suite struct HostHoldTests {
    private let content = PatternContent(seed: 42, length: 320 * KiB)

    /// More than four requests a second are refused.
    private func limited(_ status: Int, _ retryAfter: Behaviour.RetryAfter) -> Route {
        Route(content) {
            $0.maximumRate = .init(4, per: .seconds(1))
            $0.surplus = .status(status)
            $0.surplusRetryAfter = retryAfter
        }
    }

    @Test(
        "Four requests a second and a Retry-After of any kind give the right file",
        arguments: zip(
            [429, 503, 429, 503, 429],
            [Behaviour.RetryAfter.literal("1"), .date(after: 2), .literal("-5"), .literal("soon"), .none]
        )
    )
    func tokenBucket(status: Int, retryAfter: Behaviour.RetryAfter) throws {
        let harness = try DownloadHarness()
        try FaultServer.run(["/file": limited(status, retryAfter)]) { server in
            _ = try harness.run(server.url("/file"), options: PushbackTests.options()) { $0.requestSize = 1 }.get()
            #expect(try content.matches(fileAt: harness.folder.path("file")))
            #expect(server.requests.contains { $0.isSurplus })
        }
    }

    @Test(
        "No request goes to the host in the time that it asks for",
        arguments: [Behaviour.RetryAfter.literal("2"), .date(after: 3)]
    )
    func noRequestMeanwhile(retryAfter: Behaviour.RetryAfter) throws {
        let harness = try DownloadHarness()
        try FaultServer.run(["/file": limited(429, retryAfter)]) { server in
            _ = try harness.run(server.url("/file"), options: PushbackTests.options()) { $0.requestSize = 1 }.get()
            for refused in server.requests where refused.isSurplus {
                // What was sent before the refusal arrived comes within this time, on a busy machine too.
                let sent = refused.startedAt + .milliseconds(900)
                let end = refused.startedAt + .seconds(1.99)
                let meanwhile = server.requests.filter { $0.startedAt > sent && $0.startedAt < end }
                #expect(meanwhile.isEmpty, "\(meanwhile.map(\.startedAt)) after \(refused.startedAt)")
            }
        }
    }

    @Test("A probe's Retry-After is heeded by the request after it", arguments: ["HEAD", "GET"])
    func probe(method: String) throws {
        let harness = try DownloadHarness()
        let route = Route(content).on(.heads) { $0.fail(405) }
            .on(.matching { $0.method == method }, .first(1)) { $0.fail(503, retryAfter: "1") }
        try FaultServer.run(["/file": route]) { server in
            _ = try harness.run(server.url("/file"), options: PushbackTests.options()).get()
            let index = try #require(server.requests.firstIndex { $0.status == 503 })
            #expect(server.requests[index + 1].startedAt - server.requests[index].startedAt >= .milliseconds(990))
        }
    }

    @Test(
        "A stream's Retry-After is heeded, whether its first request gets it or the one after a cut",
        arguments: [0, 1]
    )
    func stream(refusedIndex: Int) throws {
        let harness = try DownloadHarness()
        let route = Route(content) {
            $0.ranges = .ignored
            $0.acceptRanges = "none"
        }
        .on(.gets, .first(refusedIndex)) { $0.cut = .after(100_000) }
        .on(.gets, .numbers([refusedIndex + 1])) { $0.fail(503, retryAfter: "1") }
        try FaultServer.run(["/file": route]) { server in
            _ = try harness.run(server.url("/file"), options: PushbackTests.options()).get()
            let gets = server.requests.filter { $0.method == "GET" }
            #expect(gets[refusedIndex].status == 503)
            #expect(gets[refusedIndex + 1].startedAt - gets[refusedIndex].startedAt >= .milliseconds(990))
        }
    }

    @Test("A stream's first request heeds what another download of the host was told meanwhile")
    func otherDownload() throws {
        let harness = try DownloadHarness()
        // The first part is served, and further ranges are ignored.
        let lost = Route(content).on(.ranged, .after(1)) { $0.ranges = .ignored }
        let busy = Route(content).on(.heads, .first(1)) { $0.fail(503, retryAfter: "1") }
        try FaultServer.run(["/lost": lost, "/busy": busy]) { server in
            let session = try Session(PushbackTests.options())
            defer { session.close() }
            let (isLost, isTold) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let request = harness.request(server.url("/lost")) { $0.requestSize = 1 }
            // The handler holds the download where it says that it goes on as a stream.
            let stream = session.start(request) { event in
                guard case .note = event else { return }
                isLost.signal()
                _ = isTold.wait(timeout: .now() + 20)
            }
            try #require(isLost.wait(timeout: .now() + 20) == .success)
            let other = session.start(harness.request(server.url("/busy"))) { event in
                if case .retry = event { isTold.signal() }
            }
            _ = try stream.wait()
            _ = try other.wait()
            let refused = try #require(server.log.requests(for: "/busy").first { $0.status == 503 })
            let whole = try #require(server.log.requests(for: "/lost").last { $0.method == "GET" && $0.range == nil })
            #expect(whole.startedAt - refused.startedAt >= .milliseconds(990))
        }
    }

    @Test("A day is not waited for: the message names it, and the session's next download of the host asks nothing")
    func day() throws {
        let harness = try DownloadHarness()
        try FaultServer.run(["/file": limited(429, .literal("86400")), "/other": Route(content)]) { server in
            try FaultServer.run(["/third": Route(content)]) { elsewhere in
                let session = try Session(PushbackTests.options())
                defer { session.close() }
                let requests = [
                    harness.request(server.url("/file")) { $0.requestSize = 1 }, harness.request(server.url("/other")),
                ]
                for request in requests {
                    let download = harness.start(request, in: session)
                    let error = #expect(throws: DownloadError.self) { try download.wait() }
                    #expect(error?.kind == .server)
                    #expect(error?.message.contains("86400 s") == true, "\(String(describing: error))")
                }
                #expect(server.log.requests(for: "/other").isEmpty)
                let third = harness.start(harness.request(elsewhere.url("/third")), in: session)
                #expect(try third.wait().length == content.length)
            }
        }
    }

    @Test("A day for a connection too many ends nobody who is served; nothing more is asked, and the time is named")
    func dayForSurplus() throws {
        let harness = try DownloadHarness()
        let route = Route(PushbackTests.content) {
            ($0.bytesPerSecond, $0.maximumConcurrentRequests) = (2_000_000, 2)
            $0.surplusRetryAfter = .literal("86400")
        }
        try FaultServer.run(["/file": route]) { server in
            let error = #expect(throws: DownloadError.self) {
                try harness.run(server.url("/file"), options: PushbackTests.options()).get()
            }
            #expect(error?.kind == .server)
            #expect(error?.message.contains("(Retry-After)") == true)
            let served = server.requests.filter { $0.method == "GET" && !$0.isSurplus }
            #expect(served.count == 2)
            #expect(served.allSatisfy { $0.end == .complete })
            let snapshot = try #require(JournalSnapshot(path: harness.folder.path("file.segdl.journal")))
            #expect(snapshot.finishedByteCount == PushbackTests.content.length / 4)
        }
    }

    @Test("The time is named where there is no retry at all, too")
    func dayWithoutRetries() throws {
        let harness = try DownloadHarness()
        var options = PushbackTests.options()
        (options.jobs, options.retryRounds) = (1, 0)
        let route = Route(content).on(.ranged) { $0.fail(503, retryAfter: "86400") }
        try FaultServer.run(["/file": route]) { server in
            let error = #expect(throws: DownloadError.self) {
                try harness.run(server.url("/file"), options: options) { $0.requestSize = 1 }.get()
            }
            #expect(error?.kind == .server)
            #expect(error?.message.contains("86400 s") == true)
        }
    }

    @Test("A Retry-After on an answer that is none to wait for means nothing")
    func irrelevant() throws {
        let harness = try DownloadHarness()
        try FaultServer.run(["/file": Route(content) { $0.fields["Retry-After"] = "86400" }]) { server in
            _ = try harness.run(server.url("/file"), options: PushbackTests.options()).get()
        }
    }
}
