import Foundation
import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadLocking
import SegmentedDownloadTestSupport
import Testing

/// One after the other: what intercepts system calls sees those of all tests.
@Suite(.serialized) struct RemoteTimeTests {
    private let content = PatternContent(seed: 81, length: 1 * MiB)

    private static func time(of path: String) throws -> Int64 {
        var status = stat()
        guard stat(path, &status) == 0 else { throw TestSupportError("no file at \(path)") }
        #if canImport(Darwin)
            return Int64(status.st_mtimespec.tv_sec)
        #else
            return Int64(status.st_mtim.tv_sec)
        #endif
    }

    /// - Returns: The file's time, and the notes about dates.
    private func run(
        _ lastModified: String?,
        jobs: Int = 4,
        _ change: (inout DownloadRequest) -> Void = { $0.usesRemoteTime = true }
    ) throws -> (time: Int64, notes: [String]) {
        let harness = try DownloadHarness()
        return try FaultServer.run(["/file": Route(content) { $0.lastModified = lastModified }]) { server in
            let options = DownloadHarness.options(jobs: jobs)
            _ = try harness.run(server.url("/file"), options: options, change).get()
            #expect(try content.matches(fileAt: harness.folder.path("file")))
            return (try Self.time(of: harness.folder.path("file")), harness.notes.filter { $0.contains("date") })
        }
    }

    static let usableDates: [(text: String, seconds: Int64)] = [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
        ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777),
        ("Sun, 06 Nov 1994 08:49:37 +0000", 784_111_777),
        ("Sun, 06 Nov 1994 10:49:37 +0200", 784_111_777),
        ("Tue, 06 Nov 1994 08:49:37 GMT", 784_111_777),
        ("Thu, 01 Jan 1970 00:00:01 GMT", 1),
    ]

    @Test("The file has the server's date, in whatever form", arguments: usableDates.indices, [1, 4])
    func forms(index: Int, jobs: Int) throws {
        let (time, notes) = try run(Self.usableDates[index].text, jobs: jobs)
        #expect(time == Self.usableDates[index].seconds, "\(Self.usableDates[index].text)")
        #expect(notes.isEmpty, "\(notes)")
    }

    static let unusableDates: [String?] = [
        nil, "", "yesterday", "Sun, 36 Nov 1994 08:49:37 GMT", "Wed, 31 Dec 1969 23:59:59 GMT",
        "Wed, 31 Dec 1969 00:00:00 GMT",
        "Thu, 01 Jan 1970 00:00:00 GMT", "0", String(repeating: "1", count: 5000), "\u{1B}[31m",
        "Sun, 06 Nov 99999999999999999999 08:49:37 GMT",
    ]

    @Test("A date that can't be used gets a note, and the file keeps its own", arguments: unusableDates)
    func unusable(text: String?) throws {
        let start = Int64(Date().timeIntervalSince1970) - 2
        let (time, notes) = try run(text)
        #expect(time >= start)
        #expect(notes == ["The server gives no date that can be used: the file keeps the time of its download."])
    }

    @Test("A date in the future is taken, and told of")
    func future() throws {
        let (time, notes) = try run("Fri, 01 Jan 2100 00:00:00 GMT")
        #expect(time == 4_102_444_800)
        #expect(notes == ["The server's date lies in the future; the file has it all the same."])
    }

    @Test("Without being asked for, the time is that of the download")
    func off() throws {
        let start = Int64(Date().timeIntervalSince1970) - 2
        #expect(try run("Sun, 06 Nov 1994 08:49:37 GMT") { _ in }.time >= start)
    }

    @Test("A small file, a stream, an empty file, and one behind a redirect have it too", arguments: 0..<4)
    func others(index: Int) throws {
        let contents = [1000, 1 * MiB, 0, 1 * MiB].map { PatternContent(seed: 82, length: $0) }
        let route = Route(contents[index]) {
            $0.lastModified = Self.usableDates[0].text
            if index == 1 { ($0.ranges, $0.framing) = (.ignored, .chunked) }
        }
        let harness = try DownloadHarness()
        try FaultServer.run(["/real": route, "/file": Route.redirect(to: "/real")]) { server in
            _ = try harness.run(server.url("/file")) { $0.usesRemoteTime = true }.get()
            #expect(try Self.time(of: harness.folder.path("file")) == Self.usableDates[0].seconds)
        }
    }

    @Test("A file that was resumed has it, and what is not complete does not")
    func resumed() throws {
        let big = PatternContent(seed: 83, length: 4 * MiB)
        let harness = try DownloadHarness()
        try FaultServer.run([:]) { server in
            let start = Int64(Date().timeIntervalSince1970) - 2
            try harness.leaveHalf(of: big, on: server) { $0.lastModified = Self.usableDates[0].text }
            #expect(try Self.time(of: harness.folder.path("file.segdl.part")) >= start)
            server.setRoute("/file", Route(big) { $0.lastModified = Self.usableDates[0].text })
            let report = try harness.run(server.url("/file")) { $0.usesRemoteTime = true }.get()
            #expect(report.resumedByteCount > 0)
            #expect(try big.matches(fileAt: harness.folder.path("file")))
            #expect(try Self.time(of: harness.folder.path("file")) == Self.usableDates[0].seconds)
        }
    }

    @Test("A file that was there already keeps its time")
    func existing() throws {
        let harness = try DownloadHarness()
        try FaultServer.run(["/file": Route(content) { $0.lastModified = Self.usableDates[0].text }]) { server in
            _ = try harness.run(server.url("/file")).get()
            let before = try Self.time(of: harness.folder.path("file"))
            let report = try harness.run(server.url("/file")) { $0.usesRemoteTime = true }.get()
            #expect(report.outcome == .existing)
            #expect(try Self.time(of: harness.folder.path("file")) == before)
        }
    }

    @Test("Where the time can't be set, a note says so, and the file is there")
    func refused() throws {
        let harness = try DownloadHarness()
        try FaultServer.run(["/file": Route(content)]) { server in
            let intercept: SystemCall.Interceptor = { attempt, proceed throws(Errno) in
                guard attempt.name != .futimens else { throw Errno(rawValue: EPERM) }
                return try proceed()
            }
            try SystemCall.withInterceptor(intercept) {
                _ = try harness.run(server.url("/file")) { $0.usesRemoteTime = true }.get()
            }
            #expect(try content.matches(fileAt: harness.folder.path("file")))
            #expect(harness.notes.contains { $0.hasPrefix("The file's time could not be set") })
        }
    }

    @Test("The time is set after the last write and sync of the data, and before the file has its name")
    func order() throws {
        let harness = try DownloadHarness()
        let calls = Locked<[(name: SystemCall.Name, fd: Int32)]>([])
        let namesThen = Locked<[String]>([])
        let intercept: SystemCall.Interceptor = { attempt, proceed throws(Errno) in
            if attempt.name == .futimens { namesThen.withLock { $0 = (try? harness.folder.names()) ?? [] } }
            calls.withLock { $0.append((attempt.name, attempt.fd)) }
            return try proceed()
        }
        try FaultServer.run(["/file": Route(content)]) { server in
            try SystemCall.withInterceptor(intercept) {
                _ = try harness.run(server.url("/file")) { $0.usesRemoteTime = true }.get()
            }
        }
        #expect(namesThen.withLock { $0 }.sorted() == ["file.segdl.journal", "file.segdl.part"])
        // Other tests make calls meanwhile: those on this descriptor count, from its opening to its closing.
        let all = calls.withLock { $0 }
        let time = try #require(all.firstIndex { $0.name == .futimens })
        let fd = all[time].fd
        let before = all[..<time].filter { $0.fd == fd }.map(\.name)
        let after = all[(time + 1)...].filter { $0.fd == fd }.map(\.name).prefix { $0 != .close }
        let lastSync = try #require(before.lastIndex(of: .fdatasync))
        #expect(before[lastSync...].allSatisfy { ![.pwrite, .ftruncate, .fallocate].contains($0) })
        // The name is compared with the descriptor, and the lock is given back.
        #expect(after.allSatisfy { [.fstat, .flock].contains($0) }, "\(after)")
    }
}
