import Foundation
import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

/// The session's time: whatever a server does, a download ends in order when it is over.
@Suite struct MaximumTimeTests {
    private let content = PatternContent(seed: 86, length: 4 * MiB)

    /// Options with so little time; nothing else may end the download.
    private static func options(_ time: Duration = .milliseconds(300)) -> SessionOptions {
        var options = DownloadHarness.options()
        options.maximumTime = time
        options.stallTimeout = .seconds(600)
        options.headPatience = .seconds(600)
        return options
    }

    private func fail(_ result: Result<DownloadReport, DownloadError>) {
        guard case .failure(let error) = result else {
            Issue.record("ended well: \(result)")
            return
        }
        #expect(error.kind == .network)
        #expect(error.message.hasPrefix("The time of the whole run (--max-time) is over"), "\(error)")
    }

    static let servers: [(String, @Sendable (inout Behaviour) -> Void)] = [
        ("is silent", { $0.answer = .silence }),
        ("sends its head byte by byte", { $0.headInterval = .milliseconds(50) }),
        ("sends chunks without end", { $0.answer = .endless(head: chunked, repeated: "5\r\nhello\r\n") }),
        ("sends bytes without end", { $0.answer = .endless(head: "HTTP/1.1 200 OK\r\n\r\n", repeated: "hello") }),
        ("sends a chunk extension without end", { $0.answer = .endless(head: chunked + "5;", repeated: "hello") }),
        ("sends a few bytes a second", { $0.bytesPerSecond = 10 }),
        ("asks to be left alone", { $0.fail(503, retryAfter: "300") }),
    ]

    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    @Test("The time of a run is kept with a server that never comes to an end", arguments: servers.indices)
    func kept(index: Int) throws {
        let (name, change) = Self.servers[index]
        let harness = try DownloadHarness()
        try FaultServer.run(["/file": Route(content, change)]) { server in
            fail(try harness.run(server.url("/file"), options: Self.options()))
            try server.release()
            #expect(try !harness.folder.names().contains("file"), "a server that \(name)")
        }
    }

    @Test("What came before the end of the time is kept, and the next run asks for the rest alone")
    func resumable() throws {
        let harness = try DownloadHarness()
        let route = Route(content).on(.ranged) { $0.stallAfter = 600_000 }
        try FaultServer.run(["/file": route]) { server in
            let result = try harness.run(server.url("/file"), options: Self.options(.seconds(2)))
            fail(result)
            try server.release()
            #expect(try harness.folder.names().sorted() == ["file.segdl.journal", "file.segdl.part"])
            server.setRoute("/file", Route(content))
            let report = try harness.run(server.url("/file")).get()
            // Nine whole segments of 64 KiB of each of the four connections' 600,000 bytes.
            #expect(report.resumedByteCount >= 4 * 9 * 64 * KiB)
            #expect(report.receivedByteCount <= content.length - report.resumedByteCount)
            #expect(try content.matches(fileAt: harness.folder.path("file")))
        }
    }

    @Test("The time counts for all downloads of a session: what has not begun is not asked for")
    func wholeSession() throws {
        let harness = try DownloadHarness()
        let routes = ["/first": Route(content) { $0.answer = .silence }, "/second": Route(content)]
        try FaultServer.run(routes) { server in
            var options = Self.options()
            options.jobs = 1
            let session = try Session(options)
            defer { session.close() }
            let downloads = ["/first", "/second"].map { harness.start(harness.request(server.url($0)), in: session) }
            for download in downloads {
                let error = #expect(throws: DownloadError.self) { _ = try download.wait() }
                #expect(error?.kind == .network)
            }
            try server.release()
            #expect(server.log.requests(for: "/second").isEmpty)
        }
    }

    @Test("A run that ends in time does not notice")
    func inTime() throws {
        let harness = try DownloadHarness()
        try FaultServer.run(["/file": Route(content)]) { server in
            let report = try harness.run(server.url("/file"), options: Self.options(.seconds(600))).get()
            #expect(report.length == content.length)
        }
    }

    @Test("What is cancelled before the time is over says that it was stopped")
    func cancelled() throws {
        let harness = try DownloadHarness()
        try FaultServer.run(["/file": Route(content) { $0.answer = .silence }]) { server in
            let session = try Session(Self.options(.seconds(600)))
            defer { session.close() }
            let download = harness.start(harness.request(server.url("/file")), in: session)
            try server.waitUntil { !$0.requests.isEmpty }
            download.cancel()
            let error = #expect(throws: DownloadError.self) { _ = try download.wait() }
            #expect(error?.kind == .cancelled)
            try server.release()
        }
    }

    /// What takes until the time is over, and more: a call on a file, after an event where that is not `nil`.
    struct LongEnd: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let call: SystemCall.Name
        let file: String
        var isVerified = false
        var isThere = false
    }

    static let longEnds = [
        LongEnd(testDescription: "the disk takes its time", call: .fdatasync, file: "file.segdl.part"),
        LongEnd(testDescription: "hashing does", call: .pread, file: "file.segdl.part", isVerified: true),
        LongEnd(
            testDescription: "hashing what is there does",
            call: .pread,
            file: "file",
            isVerified: true,
            isThere: true
        ),
    ]

    @Test("What has all its bytes when the time is over is verified, synced and named", arguments: longEnds)
    func complete(end: LongEnd) throws {
        let harness = try DownloadHarness()
        let source = try TemporaryFolder()
        try content.write(toFileAt: source.path("x"))
        let checksum = Checksum("sha256:\(try FileDigest.sha256(ofFileAt: source.path("x")))")
        if end.isThere { try content.write(toFileAt: harness.folder.path("file")) }
        // Many times what the bytes take.
        var options = Self.options(.seconds(3))
        options.keeperPolicy.minimumInterval = .zero
        try FaultServer.run(["/file": Route(content)]) { server in
            let over = ContinuousClock.now + .seconds(3.1)
            let hold = Once { while ContinuousClock.now < over { usleep(10_000) } }
            let intercept: SystemCall.Interceptor = { attempt, proceed throws(Errno) in
                let isHashing = harness.seenEvents.contains { if case .phase(.verifying) = $0 { true } else { false } }
                if attempt.name == end.call, !end.isThere || isHashing,
                    FilesTestFolder.name(ofDescriptor: attempt.fd, in: harness.folder.path) == end.file
                {
                    hold.run()
                }
                return try proceed()
            }
            try SystemCall.withInterceptor(intercept) {
                _ = try harness.run(server.url("/file"), options: options) {
                    $0.checksum = end.isVerified ? checksum : nil
                }.get()
            }
            #expect(ContinuousClock.now >= over)
            #expect(try content.matches(fileAt: harness.folder.path("file")))
            #expect(try harness.folder.names() == ["file"])
        }
    }
}
