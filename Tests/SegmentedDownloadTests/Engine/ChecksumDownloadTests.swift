import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadLocking
import SegmentedDownloadTestSupport
import Testing

/// Downloads with a digest from outside. The expected digests are those of coreutils.
@Suite struct ChecksumDownloadTests {
    private let content = PatternContent(seed: 21, length: 4 * MiB)

    /// The digest that `PROGRAMsum` makes.
    private func checksum(_ name: String, _ content: PatternContent) throws -> Checksum {
        let folder = try TemporaryFolder()
        try content.write(toFileAt: folder.path("x"))
        let result = try ChildProcess.run("\(name)sum", [folder.path("x")])
        return try #require(Checksum("\(name):\(result.standardOutput.prefix { $0 != " " })"))
    }

    private func wrong(_ checksum: Checksum) throws -> Checksum {
        let last = checksum.description.last == "0" ? "1" : "0"
        return try #require(Checksum(checksum.description.dropLast() + last))
    }

    @Test("A right digest is accepted, and said", arguments: ["md5", "sha1", "sha256", "sha512"], [0, 1, 4 * MiB])
    func right(name: String, length: Int64) throws {
        let harness = try DownloadHarness()
        let content = PatternContent(seed: 21, length: length)
        let checksum = try checksum(name, content)
        try FaultServer.run(["/file": Route(content)]) { server in
            let report = try harness.run(server.url("/file")) { $0.checksum = checksum }.get()
            #expect(report.verification == .checksum)
            #expect(try content.matches(fileAt: harness.folder.path("file")))
            #expect(try harness.folder.names() == ["file"])
        }
    }

    /// Ranges, a stream, a stream of unknown length, and a file that fits one segment.
    @Test("With a wrong digest NAME never appears, and a corrected one costs no traffic", arguments: 0..<4)
    func wrong(kind: Int) throws {
        let harness = try DownloadHarness()
        let content = kind == 3 ? PatternContent(seed: 22, length: 1000) : content
        let right = try checksum("sha256", content)
        let wrong = try wrong(right)
        let route = Route(content) {
            if kind == 1 || kind == 2 { ($0.ranges, $0.acceptRanges) = (.ignored, "none") }
            if kind == 2 { $0.framing = .chunked }
        }
        try FaultServer.run(["/file": route]) { server in
            for _ in 0..<2 {
                let error = #expect(throws: DownloadError.self) {
                    try harness.run(server.url("/file")) { $0.checksum = wrong }.get()
                }
                #expect(error?.kind == .checksum)
                #expect(error?.message.contains("--restart") ?? false)
                let names = try harness.folder.names().sorted()
                #expect(names == ["file.segdl.journal", "file.segdl.part"])
                if kind == 2 { break }
            }
            let report = try harness.run(server.url("/file")) { $0.checksum = right }.get()
            #expect(report.verification == .checksum)
            #expect(report.receivedByteCount == 0)
            #expect(try content.matches(fileAt: harness.folder.path("file")))
        }
    }

    @Test("--restart fetches a file with a wrong digest again")
    func restart() throws {
        let harness = try DownloadHarness()
        let (right, other) = (try checksum("sha1", content), PatternContent(seed: 23, length: content.length))
        try FaultServer.run(["/file": Route(other)]) { server in
            #expect(throws: DownloadError.self) {
                try harness.run(server.url("/file")) { $0.checksum = right }.get()
            }
            server.setRoute("/file", Route(content))
            let report = try harness.run(server.url("/file")) { ($0.checksum, $0.restarts) = (right, true) }.get()
            #expect(report.receivedByteCount >= content.length)
            #expect(try content.matches(fileAt: harness.folder.path("file")))
        }
    }

    @Test("What an earlier run left is hashed too, and so is what changes meanwhile")
    func resumed() throws {
        let harness = try DownloadHarness()
        let other = PatternContent(seed: 24, length: content.length)
        let (mine, theirs) = (try checksum("sha256", content), try checksum("sha256", other))
        try FaultServer.run([:]) { server in
            try harness.leaveHalf(of: content, on: server)
            server.setRoute("/file", Route(content))
            let report = try harness.run(server.url("/file")) { $0.checksum = mine }.get()
            #expect(report.resumedByteCount > 0)
            let date = "Fri, 02 Jan 2026 00:00:00 GMT"
            let changing = Route(content).on(.gets, .after(4)) {
                ($0.content, $0.lastModified) = (.pattern(other), date)
            }
            server.setRoute("/file", changing)
            _ = try harness.run(server.url("/file")) {
                ($0.checksum, $0.existing, $0.requestSize) = (theirs, .overwrite, 64 * KiB)
            }.get()
            #expect(try other.matches(fileAt: harness.folder.path("file")))
        }
    }

    @Test("A file that is there is accepted with its digest only")
    func existing() throws {
        let harness = try DownloadHarness()
        let right = try checksum("md5", content)
        let wrong = try wrong(right)
        try content.write(toFileAt: harness.folder.path("file"))
        try FaultServer.run(["/file": Route(content)]) { server in
            let error = #expect(throws: DownloadError.self) {
                try harness.run(server.url("/file")) { $0.checksum = wrong }.get()
            }
            #expect(error?.kind == .localFile)
            let session = try Session(DownloadHarness.options())
            defer { session.close() }
            let download = session.start(harness.request(server.url("/file")) { $0.checksum = right })
            let report = try download.wait()
            #expect(report.outcome == .existing)
            #expect(report.verification == .checksum)
            #expect(download.progress.hashedByteCount == content.length)
            #expect(download.progress.length == content.length)
        }
    }

    @Test("A file that is to be left as it is must have its digest, and the server is not asked")
    func skipped() throws {
        let harness = try DownloadHarness()
        let right = try checksum("sha1", content)
        let wrong = try wrong(right)
        try content.write(toFileAt: harness.folder.path("kept"))
        try FaultServer.run(["/file": Route(content)]) { server in
            let report = try harness.run(server.url("/file")) {
                ($0.output, $0.existing, $0.checksum) = ("kept", .skip, right)
            }.get()
            #expect(report.outcome == .existing)
            #expect(report.verification == .checksum)
            let error = #expect(throws: DownloadError.self) {
                try harness.run(server.url("/file")) {
                    ($0.output, $0.existing, $0.checksum) = ("kept", .skip, wrong)
                }.get()
            }
            #expect(error?.kind == .localFile)
            #expect(server.requests.isEmpty)
        }
    }

    @Test("With a digest to make, leases are dealt from front to back")
    func order() throws {
        let harness = try DownloadHarness()
        let big = PatternContent(seed: 25, length: 64 * MiB)
        let checksum = try checksum("sha256", big)
        try FaultServer.run(["/file": Route(big)]) { server in
            _ = try harness.run(server.url("/file")) { $0.checksum = checksum }.get()
            // An even share would be 16 MiB; without a rate yet it is the least.
            let first = server.requests.first { $0.range?.lowerBound == 0 }?.range
            #expect(first == 0..<4 * MiB)
        }
    }

    @Test("Each byte is read once, and those of an earlier run while the rest still arrives")
    func background() throws {
        let harness = try DownloadHarness()
        let checksum = try checksum("sha256", content)
        let read = Monitor<[Range<Int64>]>([])
        let intercept: SystemCall.Interceptor = { attempt, proceed throws(Errno) in
            let result = try proceed()
            if attempt.name == .pread, case .reading(_, let offset) = attempt.arguments,
                FilesTestFolder.name(ofDescriptor: attempt.fd, in: harness.folder.path) == "file.segdl.part"
            {
                read.withLock { $0.append(offset..<offset + Int64(result)) }
            }
            return result
        }
        try FaultServer.run([:]) { server in
            try harness.leaveHalf(of: content, on: server)
            server.setRoute("/file", Route(content).on(.ranged) { $0.stallAfter = 0 })
            var options = DownloadHarness.options()
            // The stall is wanted.
            options.stallTimeout = .seconds(60)
            let session = try Session(options)
            defer { session.close() }
            try SystemCall.withInterceptor(intercept) {
                let request = harness.request(server.url("/file")) { $0.checksum = checksum }
                let download = harness.start(request, in: session)
                // Nothing more comes before the nine whole segments of the first connection are hashed.
                #expect(read.wait(timeout: .seconds(60)) { $0.last?.upperBound ?? 0 >= 9 * 64 * KiB })
                server.setRoute("/file", Route(content))
                try server.release()
                #expect(try download.wait().verification == .checksum)
            }
            #expect(read.read { $0.tile(0..<content.length) })
        }
    }

    @Test("What hashing has read is taken out of the page cache where it is much", arguments: [0, 4 * MiB])
    func pageCache(cachedByteCount: Int64) throws {
        let harness = try DownloadHarness()
        let checksum = try checksum("sha256", content)
        let calls = Locked<[SystemCall.Name]>([])
        let intercept: SystemCall.Interceptor = { attempt, proceed throws(Errno) in
            if FilesTestFolder.name(ofDescriptor: attempt.fd, in: harness.folder.path) == "file.segdl.part" {
                calls.withLock { $0.append(attempt.name) }
            }
            return try proceed()
        }
        var options = DownloadHarness.options()
        options.keeperPolicy.cachedByteCount = cachedByteCount
        try FaultServer.run(["/file": Route(content)]) { server in
            try SystemCall.withInterceptor(intercept) {
                _ = try harness.run(server.url("/file"), options: options) { $0.checksum = checksum }.get()
            }
        }
        let last = calls.withLock { $0.last { [.pread, .dropCache].contains($0) } }
        #expect(last == (cachedByteCount == 0 ? .dropCache : .pread))
    }
}
