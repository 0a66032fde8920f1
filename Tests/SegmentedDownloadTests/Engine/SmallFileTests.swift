import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Synchronization
import Testing

/// A small file of a list comes whole into memory with the answer that tells what it is.
@Suite struct SmallFileTests {
    private let content = PatternContent(seed: 35, length: 60_000)

    private func expectRight(_ report: DownloadReport, refetched: Int64 = 0) throws {
        #expect(try content.matches(fileAt: report.path))
        #expect(report.receivedByteCount == content.length + refetched)
        #expect(report.refetchedByteCount == refetched)
    }

    @Test("The connection of a small file is the next one's as soon as all bytes have come")
    func connection() throws {
        let harness = try DownloadHarness()
        let path = harness.folder.path
        try FaultServer.run(["/0": Route(content), "/1": Route(content)]) { server in
            let isNextAsked = Atomic(false)
            let waiting: SystemCall.Interceptor = { attempt, proceed throws(Errno) in
                if attempt.name == .openat, case .opening("0.segdl.part", _) = attempt.arguments,
                    FilesTestFolder.name(ofDescriptor: attempt.fd, in: path) == "."
                {
                    let isAsked = (try? server.waitUntil { $0.requests.count == 2 }) != nil
                    isNextAsked.store(isAsked, ordering: .relaxed)
                }
                return try proceed()
            }
            try SystemCall.withInterceptor(waiting) {
                let session = try Session(DownloadHarness.options(jobs: 1))
                defer { session.close() }
                let downloads = ["/0", "/1"].map { path in
                    harness.start(harness.request(server.url(path)) { $0.skipsHead = true }, in: session)
                }
                for download in downloads { try expectRight(download.wait()) }
            }
            let isConnectionFree = isNextAsked.load(ordering: .relaxed)
            #expect(isConnectionFree)
            #expect(server.requests.map(\.method) == ["GET", "GET"])
            #expect(Set(server.requests.map(\.connection)).count == 1)
        }
    }

    @Test(
        "An empty body without a length: chunks prove it, the end of the connection does not",
        arguments: [Behaviour.Framing.chunked, .untilClose],
        [true, false]
    )
    func empty(framing: Behaviour.Framing, skipsHead: Bool) throws {
        let harness = try DownloadHarness()
        let empty = PatternContent(seed: 36, length: 0)
        let route = Route(empty) { ($0.ranges, $0.acceptRanges, $0.framing) = (.ignored, nil, framing) }
        try FaultServer.run(["/file": route]) { server in
            let report = try harness.run(server.url("/file")) { $0.skipsHead = skipsHead }.get()
            #expect(report.length == 0)
            #expect(try empty.matches(fileAt: report.path))
            let isDoubted = harness.notes.contains { $0.contains("can't be proven") }
            #expect(isDoubted == (framing == .untilClose))
            // One that chunks prove needs no second look.
            let gets = server.requests.filter { $0.method == "GET" }
            #expect(gets.count == (framing == .untilClose ? 2 : 1))
        }
    }

    @Test("A small body that takes its time goes on into the part file", arguments: [true, false])
    func slow(hasRanges: Bool) throws {
        let harness = try DownloadHarness()
        let route = Route(content) {
            $0.stallAfter = 20_000
            if !hasRanges { ($0.ranges, $0.acceptRanges) = (.ignored, "none") }
        }
        try FaultServer.run(["/file": route]) { server in
            var options = DownloadHarness.options(jobs: 1)
            // The stall is wanted.
            options.stallTimeout = .seconds(60)
            let session = try Session(options)
            defer { session.close() }
            let download = harness.start(harness.request(server.url("/file")) { $0.skipsHead = true }, in: session)
            while try harness.folder.names() != ["file.segdl.part"] || download.progress.heldByteCount < 20_000 {}
            try server.release()
            try expectRight(download.wait())
            #expect(server.requests.count == 1)
        }
    }

    @Test("A small body that ends while it is handed over is counted once, and asked for once")
    func race() throws {
        let harness = try DownloadHarness()
        let names = (0..<24).map { "\($0)" }
        // About as long as a body is waited for.
        var routes: [String: Route] = [:]
        for (number, name) in names.enumerated() {
            routes["/" + name] = Route(content) { $0.bytesPerSecond = 900_000 + 20_000 * Int64(number) }
        }
        try FaultServer.run(routes) { server in
            var options = DownloadHarness.options(jobs: 4)
            options.stallTimeout = .seconds(60)
            let session = try Session(options)
            defer { session.close() }
            let downloads = names.map { name in
                harness.start(harness.request(server.url("/" + name)) { $0.skipsHead = true }, in: session)
            }
            for download in downloads {
                try expectRight(download.wait())
                #expect(download.progress.connectionCount == 0)
            }
            #expect(server.requests.count == names.count)
        }
    }

    @Test("A small body that is cut is fetched again", arguments: [true, false])
    func cut(hasRanges: Bool) throws {
        let harness = try DownloadHarness()
        let route = Route(content) { if !hasRanges { ($0.ranges, $0.acceptRanges) = (.ignored, "none") } }
            .on(.gets, .first(1)) { $0.cut = .after(20_000) }
        try FaultServer.run(["/file": route]) { server in
            try expectRight(harness.run(server.url("/file")) { $0.skipsHead = true }.get(), refetched: 20_000)
            #expect(server.requests.count == 2)
        }
    }

    @Test("A small body that goes on beyond its promised end is not taken")
    func surplus() throws {
        let harness = try DownloadHarness()
        let route = Route(content).on(.gets, .first(1)) { ($0.framing, $0.surplusBytes) = (.chunked, 100) }
        try FaultServer.run(["/file": route]) { server in
            let report = try harness.run(server.url("/file")) { $0.skipsHead = true }.get()
            #expect(try content.matches(fileAt: report.path))
            #expect(server.requests.count > 1)
        }
    }

    @Test("A small file of a list is checked by its checksum, and stays complete where that is another's")
    func checksum() throws {
        let harness = try DownloadHarness()
        try FaultServer.run(["/file": Route(content)]) { server in
            let wrong = Checksum("sha256:" + String(repeating: "0", count: 64))
            let refused = try harness.run(server.url("/file")) {
                $0.skipsHead = true
                $0.checksum = wrong
            }
            #expect(throws: DownloadError.self) { try refused.get() }
            #expect(try content.matches(fileAt: harness.folder.path("file.segdl.part")))
            #expect(try !harness.folder.names().contains("file"))
        }
    }
}
