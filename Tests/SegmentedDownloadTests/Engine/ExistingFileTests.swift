import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite struct ExistingFileTests {
    private let content = PatternContent(seed: 21, length: 1 * MiB)

    private func kind(_ result: Result<DownloadReport, DownloadError>) -> DownloadError.Kind? {
        if case .failure(let error) = result { error.kind } else { nil }
    }

    @Test("The same file is accepted after a look at a few blocks")
    func same() throws {
        let harness = try DownloadHarness()
        try content.write(toFileAt: harness.folder.path("file"))
        try FaultServer.run(["/file": Route(content)]) { server in
            let report = try harness.run(server.url("/file")).get()
            #expect(report.outcome == .existing)
            #expect(report.verification == .samples)
            let asked = server.requests.askedRanges
            #expect((1...13).contains(asked.count))
            #expect(asked.allSatisfy { $0.upperBound - $0.lowerBound <= 16 * KiB })
        }
    }

    @Test("A preallocated file with holes does not pass, wherever they are", arguments: 0..<4)
    func holes(seed: UInt64) throws {
        let harness = try DownloadHarness()
        let path = harness.folder.path("file")
        try content.write(toFileAt: path)
        // One hole of 64 KiB that drawn places alone would hardly hit.
        let fd = open(path, O_RDWR)
        defer { close(fd) }
        let copy = content.bytes(in: 0..<content.length)
        #expect(ftruncate(fd, 0) == 0)
        #expect(ftruncate(fd, off_t(content.length)) == 0)
        let hole = Int(3 + seed * 3) * 65_536
        #expect(pwrite(fd, copy, hole, 0) == hole)
        let rest = Array(copy[(hole + 65_536)...])
        #expect(pwrite(fd, rest, rest.count, off_t(hole + 65_536)) == rest.count)
        try FaultServer.run(["/file": Route(content)]) { server in
            let result = try harness.run(server.url("/file"))
            #expect(kind(result) == .localFile)
        }
    }

    @Test("Another file of the same length, or of another, is refused and untouched", arguments: [1 * MiB, 100])
    func different(length: Int64) throws {
        let harness = try DownloadHarness()
        let old = PatternContent(seed: 22, length: length)
        try old.write(toFileAt: harness.folder.path("file"))
        try FaultServer.run(["/file": Route(content)]) { server in
            let result = try harness.run(server.url("/file"))
            #expect(kind(result) == .localFile)
            #expect(try old.matches(fileAt: harness.folder.path("file")))
            #expect(try harness.folder.names() == ["file"])
        }
    }

    @Test("Where there are no ranges to compare by, a file of another length is refused all the same")
    func differentLengthAlone() throws {
        let harness = try DownloadHarness()
        let old = PatternContent(seed: 22, length: 100)
        try old.write(toFileAt: harness.folder.path("file"))
        try FaultServer.run(["/file": Route(content) { ($0.ranges, $0.acceptRanges) = (.ignored, "none") }]) { server in
            let result = try harness.run(server.url("/file"))
            #expect(kind(result) == .localFile)
            #expect(try old.matches(fileAt: harness.folder.path("file")))
        }
    }

    @Test("skip asks nothing where the name is known, and leaves the file")
    func skip() throws {
        let harness = try DownloadHarness()
        try PatternContent(seed: 22, length: 5).write(toFileAt: harness.folder.path("file"))
        try FaultServer.run(["/file": Route(content)]) { server in
            let report = try harness.run(server.url("/file")) {
                $0.existing = .skip
                $0.output = "file"
            }.get()
            #expect(report.outcome == .existing)
            #expect(server.requests.isEmpty)
        }
    }

    @Test("rename takes the first free number")
    func rename() throws {
        let harness = try DownloadHarness()
        for name in ["file", "file.1"] {
            try PatternContent(seed: 22, length: 5).write(toFileAt: harness.folder.path(name))
        }
        try FaultServer.run(["/file": Route(content)]) { server in
            let report = try harness.run(server.url("/file")) { $0.existing = .rename }.get()
            #expect(report.path.hasSuffix("file.2"))
            #expect(try content.matches(fileAt: harness.folder.path("file.2")))
        }
    }

    @Test("overwrite replaces the file only when the new one is complete")
    func overwrite() throws {
        let harness = try DownloadHarness()
        let old = PatternContent(seed: 22, length: 5)
        try old.write(toFileAt: harness.folder.path("file"))
        try FaultServer.run(["/file": Route(content).on(.covering(500_000)) { $0.fail(404) }]) { server in
            let failed = try harness.run(server.url("/file")) { $0.existing = .overwrite }
            #expect(kind(failed) == .server)
            #expect(try old.matches(fileAt: harness.folder.path("file")))
            server.setRoute("/file", Route(content))
            _ = try harness.run(server.url("/file")) { $0.existing = .overwrite }.get()
            #expect(try content.matches(fileAt: harness.folder.path("file")))
        }
    }

    @Test(
        "Nothing but a plain file is ever replaced",
        arguments: [DownloadRequest.ExistingFilePolicy.overwrite, .check]
    )
    func notPlain(policy: DownloadRequest.ExistingFilePolicy) throws {
        let harness = try DownloadHarness()
        #expect(symlink("/dev/null", harness.folder.path("link")) == 0)
        #expect(mkfifo(harness.folder.path("fifo"), 0o600) == 0)
        #expect(mkdir(harness.folder.path("folder"), 0o700) == 0)
        try FaultServer.run(["/file": Route(content)]) { server in
            for name in ["link", "fifo", "folder"] {
                let result = try harness.run(server.url("/file")) {
                    $0.existing = policy
                    $0.output = name
                }
                #expect(kind(result) == .localFile)
            }
            #expect(try harness.folder.names().sorted() == ["fifo", "folder", "link"])
        }
    }

    @Test("A path that another download of the run took is refused")
    func reserved() throws {
        let harness = try DownloadHarness()
        try FaultServer.run(["/file": Route(content)]) { server in
            let taken = TakenPaths()
            #expect(taken.take(harness.folder.path("file")))
            let result = try harness.run(server.url("/file")) { $0.takenPaths = taken }
            #expect(kind(result) == .localFile)
            #expect(try harness.folder.names().isEmpty)
        }
    }
}
