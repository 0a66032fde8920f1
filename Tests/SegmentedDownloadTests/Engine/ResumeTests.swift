import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

@Suite struct ResumeTests {
    private static let length = 4 * MiB
    private let content = PatternContent(seed: 11, length: length)
    private let other = PatternContent(seed: 12, length: length)

    @Test(
        "A rerun asks for exactly what is missing, whatever its -j and segment size",
        arguments: [1, 3, 16],
        [64, 256]
    )
    func rerun(jobs: Int, segmentKiB: Int64) throws {
        let harness = try DownloadHarness()
        try FaultServer.run([:]) { server in
            try harness.leaveHalf(of: content, on: server)
            server.setRoute("/file", Route(content))
            let before = server.requests.count
            let report = try harness.run(server.url("/file"), options: DownloadHarness.options(jobs: jobs)) {
                $0.segmentSize = segmentKiB * KiB
            }.get()
            let asked = server.requests.dropFirst(before).filter { $0.method == "GET" }.compactMap(\.range)
            let askedCount = asked.reduce(0) { $0 + $1.upperBound - $1.lowerBound }
            #expect(report.resumedByteCount >= 4 * 8 * 64 * KiB)
            // A range that was cut by a steal was asked for whole, and its end once more.
            #expect(askedCount >= Self.length - report.resumedByteCount)
            #expect(report.receivedByteCount == Self.length - report.resumedByteCount)
            #expect(report.refetchedByteCount == 0)
            #expect(try content.matches(fileAt: harness.folder.path("file")))
            #expect(try harness.folder.names() == ["file"])
        }
    }

    @Test("A changed file is fetched anew, and old and new bytes never meet")
    func changedBetweenRuns() throws {
        let harness = try DownloadHarness()
        try FaultServer.run([:]) { server in
            try harness.leaveHalf(of: content, on: server)
            server.setRoute("/file", Route(other))
            let report = try harness.run(server.url("/file")).get()
            #expect(report.resumedByteCount == 0)
            #expect(try other.matches(fileAt: harness.folder.path("file")))
            #expect(harness.notes.contains { $0.contains("thrown away") })
        }
    }

    @Test("Without validators sample blocks prove that the bytes are the same")
    func samples() throws {
        let harness = try DownloadHarness()
        try FaultServer.run([:]) { server in
            try harness.leaveHalf(of: content, on: server)
            server.setRoute(
                "/file",
                Route(content) {
                    $0.etag = .none
                    $0.lastModified = nil
                }
            )
            let report = try harness.run(server.url("/file")).get()
            #expect(report.resumedByteCount > 0)
            #expect(report.verification == .samples)
            #expect(try content.matches(fileAt: harness.folder.path("file")))
        }
    }

    @Test("Without validators other bytes are found out")
    func samplesDiffer() throws {
        let harness = try DownloadHarness()
        try FaultServer.run([:]) { server in
            try harness.leaveHalf(of: content, on: server)
            server.setRoute(
                "/file",
                Route(other) {
                    $0.etag = .none
                    $0.lastModified = nil
                }
            )
            let report = try harness.run(server.url("/file")).get()
            #expect(report.resumedByteCount == 0)
            #expect(try other.matches(fileAt: harness.folder.path("file")))
        }
    }

    @Test("Without validators one other block is found out, where it is one of those spread over what is held")
    func spreadSamples() throws {
        let harness = try DownloadHarness()
        try FaultServer.run([:]) { server in
            try harness.leaveHalf(of: content, on: server)
            let snapshot = try #require(JournalSnapshot(path: harness.folder.path("file.segdl.journal")))
            var bytes = content.bytes(in: 0..<Self.length)
            // The second of 16; those at random would hardly hit it.
            bytes[Int(snapshot.finishedByteCount / 16)] ^= 0xFF
            let changed = bytes
            server.setRoute("/file", Route(.bytes(changed)) { ($0.etag, $0.lastModified) = (.none, nil) })
            let report = try harness.run(server.url("/file")).get()
            #expect(report.resumedByteCount == 0)
            #expect(harness.notes.contains { $0.contains("thrown away") })
        }
    }

    @Test("Another URL whose file begins with the same bytes and has more of them is refused")
    func longerFile() throws {
        let harness = try DownloadHarness()
        try FaultServer.run([:]) { server in
            try harness.leaveHalf(of: content, on: server)
            server.setRoute("/longer", Route(PatternContent(seed: content.seed, length: Self.length + 1 * MiB)))
            let refused = try harness.run(server.url("/longer")) { $0.output = "file" }
            let error = #expect(throws: DownloadError.self) { try refused.get() }
            #expect(error?.kind == .localFile)
        }
    }

    @Test("Another URL with the same content goes on; with other content it is refused until --restart")
    func anotherURL() throws {
        let harness = try DownloadHarness()
        try FaultServer.run([:]) { server in
            try harness.leaveHalf(of: content, on: server)
            // Same validators: under another URL they prove nothing.
            server.setRoute("/other", Route(other) { $0.etag = .strong("x") })
            server.setRoute("/same", Route(content) { $0.etag = .strong("y") })
            let refused = try harness.run(server.url("/other")) { $0.output = "file" }
            guard case .failure(let error) = refused else {
                Issue.record("another file was accepted")
                return
            }
            #expect(error.kind == .localFile)
            #expect(error.message.contains("--restart"))
            let report = try harness.run(server.url("/same")) { $0.output = "file" }.get()
            #expect(report.resumedByteCount > 0)
            #expect(try content.matches(fileAt: harness.folder.path("file")))
        }
    }

    @Test("--restart throws away what is there")
    func restart() throws {
        let harness = try DownloadHarness()
        try FaultServer.run([:]) { server in
            try harness.leaveHalf(of: content, on: server)
            server.setRoute("/file", Route(other))
            let report = try harness.run(server.url("/file")) { $0.restarts = true }.get()
            #expect(report.resumedByteCount == 0)
            #expect(try other.matches(fileAt: harness.folder.path("file")))
        }
    }

    @Test("A rerun without syncs and one with them go on with each other's part file", arguments: [true, false])
    func mixedSyncs(first: Bool) throws {
        let harness = try DownloadHarness()
        try FaultServer.run([:]) { server in
            try harness.leaveHalf(of: content, on: server)
            server.setRoute("/file", Route(content).on(.covering(4 * MiB - 1)) { $0.fail(404) })
            _ = try harness.run(server.url("/file")) { $0.syncs = first }
            server.setRoute("/file", Route(content))
            let report = try harness.run(server.url("/file")) { $0.syncs = !first }.get()
            #expect(report.resumedByteCount > 0)
            #expect(try content.matches(fileAt: harness.folder.path("file")))
        }
    }

    @Test("A login page on a rerun loses nothing, with ranges or without", arguments: [true, false])
    func portal(hasRanges: Bool) throws {
        let harness = try DownloadHarness()
        try FaultServer.run([:]) { server in
            try harness.leaveHalf(of: content, on: server)
            server.setRoute(
                "/file",
                Route(.text("<html>log in</html>")) {
                    $0.contentType = "text/html"
                    $0.acceptRanges = hasRanges ? "bytes" : nil
                    $0.ranges = hasRanges ? .partial : .ignored
                }
            )
            guard case .failure(let error) = try harness.run(server.url("/file")) else {
                Issue.record("the page was taken for the file")
                return
            }
            #expect(error.kind == .protocol)
            server.setRoute("/file", Route(content))
            #expect(try harness.run(server.url("/file")).get().resumedByteCount > 0)
            #expect(try content.matches(fileAt: harness.folder.path("file")))
        }
    }

    /// A stream, and a file of one segment: neither has a journal before it is complete.
    @Test("Where NAME appears meanwhile the part file stays, complete, and is used", arguments: [true, false])
    func nameAppears(isStream: Bool) throws {
        let harness = try DownloadHarness()
        let content = isStream ? self.content : PatternContent(seed: 77, length: 60_000)
        let ranges: @Sendable (inout Behaviour) -> Void = {
            if isStream { ($0.acceptRanges, $0.ranges) = ("none", .ignored) }
        }
        let route = Route(content, ranges).on(.gets) { $0.stallAfter = content.length / 3 }
        try FaultServer.run(["/file": route]) { server in
            var options = DownloadHarness.options()
            options.stallTimeout = .seconds(20)
            let patient = try Session(options)
            defer { patient.close() }
            let download = harness.start(harness.request(server.url("/file")), in: patient)
            try server.waitUntil { $0.stalledCount > 0 }
            // It has looked for NAME by then.
            try harness.waitUntil(download, hasReceived: 1)
            try other.write(toFileAt: harness.folder.path("file"))
            try server.release()
            #expect(throws: DownloadError.self) { try download.wait() }
            #expect(try other.matches(fileAt: harness.folder.path("file")))
            #expect(try content.matches(fileAt: harness.folder.path("file.segdl.part")))
            server.setRoute("/file", Route(content, ranges))
            let report = try harness.run(server.url("/file")) { $0.existing = .overwrite }.get()
            #expect(report.resumedByteCount == content.length)
            // What is held of a stream is compared with it.
            #expect(report.receivedByteCount == (isStream ? content.length : 0))
            #expect(try content.matches(fileAt: report.path))
            #expect(try harness.folder.names() == ["file"])
        }
    }
}
