import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

/// When a file counts as another one than before: old and new bytes never meet, and nothing is thrown away for a slip.
@Suite struct IdentityTests {
    private let content = PatternContent(seed: 11, length: 4 * MiB)
    private let other = PatternContent(seed: 12, length: 4 * MiB)
    private let otherDate = "Fri, 02 Jan 2026 00:00:00 GMT"

    @Test("A file that changes between runs is fetched anew", arguments: [0, 1, 2, 3, 4])
    func changesBetweenRuns(variant: Int) throws {
        let (harness, otherDate, longer) = (try DownloadHarness(), otherDate, PatternContent(seed: 13, length: 5 * MiB))
        let next = variant == 1 ? longer : other
        try FaultServer.run([:]) { server in
            try harness.leaveHalf(of: content, on: server) { if variant >= 2 { $0.etag = .none } }
            server.setRoute(
                "/file",
                Route(next) {
                    switch variant {
                    // Another strong ETag with the same date: two changes may fall in one second.
                    case 0, 1: break
                    // Only the date is another.
                    case 2: ($0.etag, $0.lastModified) = (.none, otherDate)
                    // It answers 206 to a validator that is not its own.
                    case 3: ($0.etag, $0.lastModified, $0.ifRange) = (.none, otherDate, .ignored)
                    // And has lost its ranges.
                    default: ($0.etag, $0.lastModified, $0.ranges) = (.none, otherDate, .ignored)
                    }
                }
            )
            let report = try harness.run(server.url("/file")).get()
            #expect(report.resumedByteCount == 0)
            #expect(try next.matches(fileAt: harness.folder.path("file")))
            #expect(harness.notes.contains { $0.contains("thrown away") })
        }
    }

    @Test("A file that changes during the download is fetched anew, once", arguments: [0, 1, 2])
    func changesMeanwhile(variant: Int) throws {
        let (harness, next, otherDate) = (try DownloadHarness(), other, otherDate)
        let route = Route(content) { if variant > 0 { $0.etag = .none } }
            .on(.ranged, .after(2)) {
                $0.content = .pattern(next)
                if variant > 0 { $0.lastModified = otherDate }
                if variant > 1 { $0.ifRange = .ignored }
            }
        try FaultServer.run(["/file": route]) { server in
            // The third request comes after bytes did: HEAD is not to blame.
            _ = try harness.run(server.url("/file"), options: DownloadHarness.options(jobs: 2)) {
                $0.requestSize = 256 * KiB
            }.get()
            #expect(try next.matches(fileAt: harness.folder.path("file")))
            #expect(harness.notes.contains { $0.contains("changed on the server during the download") })
        }
    }

    @Test("A stream that changes between its attempts is begun anew, once")
    func streamChanges() throws {
        let (harness, next, otherDate) = (try DownloadHarness(), other, otherDate)
        let route = Route(content) { ($0.ranges, $0.acceptRanges) = (.ignored, "none") }
            .on(.gets, .first(1)) { $0.cut = .after(1_000_000) }
            .on(.gets, .after(1)) { ($0.content, $0.lastModified) = (.pattern(next), otherDate) }
        try FaultServer.run(["/file": route]) { server in
            _ = try harness.run(server.url("/file")).get()
            #expect(try next.matches(fileAt: harness.folder.path("file")))
        }
    }

    @Test("A file that changes all the time ends with status 7")
    func changesAllTheTime() throws {
        let harness = try DownloadHarness()
        var route = Route(content)
        for number in 1...60 {
            let next = PatternContent(seed: UInt64(number), length: content.length)
            let date = HTTPDate.text(unixTime: 1_700_000_000 + 60 * number)
            // Four answers of each version: probes agree, and soon the next one is there.
            let turns = Set(4 * number - 3...4 * number)
            route = route.on(.gets, .numbers(turns)) { ($0.content, $0.lastModified) = (.pattern(next), date) }
        }
        try FaultServer.run(["/file": route]) { server in
            guard case .failure(let error) = try harness.run(server.url("/file")) else {
                Issue.record("it passed")
                return
            }
            #expect(error.kind == .protocol)
            #expect(try !harness.folder.names().contains("file"))
        }
    }

    @Test("A change that the next probe does not confirm is not believed, and nothing is lost")
    func unconfirmedChange() throws {
        let harness = try DownloadHarness()
        try FaultServer.run([:]) { server in
            try harness.leaveHalf(of: content, on: server)
            var route = Route(content)
            for number in 1...20 {
                let date = HTTPDate.text(unixTime: 1_700_000_000 + 60 * number)
                route = route.on(.all, .numbers([number])) { ($0.etag, $0.lastModified) = (.none, date) }
            }
            server.setRoute("/file", route)
            guard case .failure(let error) = try harness.run(server.url("/file")) else {
                Issue.record("it passed")
                return
            }
            #expect(error.kind == .protocol)
            server.setRoute("/file", Route(content))
            #expect(try harness.run(server.url("/file")).get().resumedByteCount > 0)
        }
    }

    @Test("An ETag that differs from answer to answer is ignored, said once, and a rerun resumes", arguments: [2, 500])
    func unstableTag(count: Int) throws {
        let harness = try DownloadHarness()
        let tags = (0..<count).map { "node\($0)" }
        try FaultServer.run([:]) { server in
            try harness.leaveHalf(of: content, on: server) { $0.etag = .strong("node0") }
            server.setRoute("/file", Route(content) { $0.etag = .rotating(tags) })
            let report = try harness.run(server.url("/file")).get()
            #expect(report.resumedByteCount > 0)
            #expect(report.verification == .lastModified)
            #expect(try content.matches(fileAt: harness.folder.path("file")))
            #expect(harness.notes.count { $0.contains("ETag differs") } <= 2)
        }
    }

    @Test(
        "Without a date an ETag that differs each time ends ranges, and what is held is compared",
        arguments: [2, 500]
    )
    func unstableTagWithoutDate(count: Int) throws {
        let tags = (0..<count).map { "node\($0)" }
        let undated: @Sendable (inout Behaviour) -> Void = { ($0.etag, $0.lastModified) = (.strong("node0"), nil) }
        for next in [content, other] {
            let harness = try DownloadHarness()
            try FaultServer.run([:]) { server in
                try harness.leaveHalf(of: content, on: server, undated)
                server.setRoute("/file", Route(next) { ($0.etag, $0.lastModified) = (.rotating(tags), nil) })
                let report = try harness.run(server.url("/file")).get()
                #expect(report.verification == .length)
                #expect(try next.matches(fileAt: harness.folder.path("file")))
                #expect(harness.notes.contains { $0.contains("one stream") })
                #expect(harness.notes.contains { $0.contains("thrown away") } == (next.seed == other.seed))
            }
        }
    }

    @Test("Two machines that have two versions, and no date: the file is of one of them, or there is none")
    func twoVersions() throws {
        let (harness, other) = (try DownloadHarness(), other)
        let route = Route(content) { ($0.etag, $0.lastModified, $0.ifRange) = (.strong("a"), nil, .ignored) }
            .on(.all, .numbers(Set((1...200).map { 2 * $0 }))) {
                ($0.content, $0.etag) = (.pattern(other), .strong("b"))
            }
        try FaultServer.run(["/file": route]) { server in
            let result = try harness.run(server.url("/file"), options: DownloadHarness.options(jobs: 3)) {
                $0.requestSize = 256 * KiB
            }
            // Which machine is asked for what depends on the order in which answers come.
            if case .failure(let error) = result {
                #expect(error.kind == .protocol)
                #expect(try !harness.folder.names().contains("file"))
            } else {
                let isOne = try [content, other].contains { try $0.matches(fileAt: harness.folder.path("file")) }
                #expect(isOne)
            }
        }
    }

    @Test("HEAD's own ETag is no change of the file")
    func headTag() throws {
        let harness = try DownloadHarness()
        try FaultServer.run([:]) { server in
            try harness.leaveHalf(of: content, on: server)
            server.setRoute("/file", Route(content).on(.heads) { $0.etag = .strong("head") })
            let report = try harness.run(server.url("/file")).get()
            #expect(report.resumedByteCount > 0)
            #expect(report.verification == .strongETag)
        }
    }

    @Test("HEAD's wrong length is no change of the file")
    func headLength() throws {
        let harness = try DownloadHarness()
        try FaultServer.run([:]) { server in
            try harness.leaveHalf(of: content, on: server)
            server.setRoute("/file", Route(content).on(.heads) { $0.framing = .stated(5) })
            #expect(try harness.run(server.url("/file")).get().resumedByteCount > 0)
            // Nor is it one of the finished file.
            #expect(try harness.run(server.url("/file")).get().outcome == .existing)
        }
    }
}
