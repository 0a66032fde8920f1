import Foundation
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

/// No room: seen before the download where that is possible, a clean stop where not, and going on after room was made.
@Suite struct DiskFullTests {
    private static let tmpfs = MountedFileSystem.missingTmpfs
    private static let ext4 = MountedFileSystem.missingExt4
    private let content = PatternContent(seed: 411, length: 8 * MiB)

    @Test(
        "A file that does not fit is refused before a byte of it is asked for",
        .enabled(if: ext4 == nil, "\(ext4 ?? "")"),
        arguments: [MountedFileSystem.Kind.ext4(byteCount: 8 << 20), .tmpfs(byteCount: 4 << 20)],
        [true, false]
    )
    func refused(kind: MountedFileSystem.Kind, answersHead: Bool) throws {
        var route = Route(content)
        if !answersHead { route = route.on(.heads) { $0.fail(405) } }
        try FaultServer.run(["/file": route]) { server in
            let disk = try MountedFileSystem(kind)
            let segdl = try SegdlBinary(in: disk.path)
            let result = try segdl.run([server.url("/file")])
            #expect(result.end == .exit(3))
            #expect(
                result.standardError.contains("There is no room for 'file.segdl.part': it needs 8388608 bytes, and ")
            )
            #expect(result.standardError.contains("make room, or choose another folder (-d, or dir= in a list)"))
            #expect(try segdl.folder.names().isEmpty)
            let gets = server.requests.filter { $0.method == "GET" }
            // Without HEAD, the ranged GET that asks for the length is held at its first byte.
            #expect(gets.count == (answersHead ? 0 : 1))
        }
    }

    @Test(
        "Somebody fills the disk: it stops with 3; a rerun asks for no byte before there is room, and then for the rest",
        .enabled(if: tmpfs == nil, "\(tmpfs ?? "")")
    )
    func filledMeanwhile() throws {
        let route = Route(content).on(.ranged) { $0.stallAfter = 1 * MiB }
        try FaultServer.run(["/file": route]) { server in
            let disk = try MountedFileSystem(.tmpfs(byteCount: 12 << 20))
            let segdl = try SegdlBinary(in: disk.path)
            let options = ["-s", "64K", "-j", "4", "--stall-timeout", "600", server.url("/file")]
            let child = try segdl.start(options)
            try server.waitUntil { $0.stalledCount == 4 }
            try segdl.waitForJournal(of: "file", finishedByteCount: 3 * MiB)
            try disk.fill("other")
            server.setRoute("/file", Route(content))
            try server.release()
            let result = try child.wait()
            #expect(result.end == .exit(3))
            #expect(result.standardError.contains("Could not write to 'file.segdl.part'; make room"))

            let sent = try server.settledLog().bytesSent
            let refused = try segdl.run(options)
            #expect(refused.end == .exit(3))
            #expect(refused.standardError.contains("There is no room for"))
            #expect(try server.settledLog().bytesSent == sent)

            try disk.remove("other")
            let complement = Complement(of: try #require(segdl.journal(of: "file")))
            #expect(complement.finishedByteCount >= 3 * MiB)
            let before = server.requests.count
            #expect(try segdl.run(options).end == .exit(0))
            try complement.expect(askedByGets: server.requests.dropFirst(before), isComplete: true)
            #expect(try content.matches(fileAt: segdl.folder.path("file")))
        }
    }

    @Test(
        "A length that nobody told: it stops where the disk is full, and gives the room back",
        .enabled(if: tmpfs == nil, "\(tmpfs ?? "")")
    )
    func unknownLength() throws {
        let route = Route(content) { ($0.framing, $0.ranges, $0.acceptRanges) = (.chunked, .ignored, nil) }
        try FaultServer.run(["/file": route]) { server in
            let disk = try MountedFileSystem(.tmpfs(byteCount: 12 << 20))
            let segdl = try SegdlBinary(in: disk.path)
            let reserve = PatternContent(seed: 1, length: 8 << 20)
            try reserve.write(toFileAt: disk.path + "/other")
            let result = try segdl.run([server.url("/file")])
            #expect(result.end == .exit(3))
            #expect(result.standardError.contains("Could not write to 'file.segdl.part'; make room"))
            #expect(try segdl.folder.names().isEmpty)
            try disk.remove("other")
            #expect(try segdl.run([server.url("/file")]).end == .exit(0))
            #expect(try content.matches(fileAt: segdl.folder.path("file")))
        }
    }

    @Test("ulimit -f does not kill: status 3 and the limit's name, before the download or where it is reached")
    func fileSizeLimit() throws {
        let unknown = Route(content) { ($0.framing, $0.ranges, $0.acceptRanges) = (.chunked, .ignored, nil) }
        try FaultServer.run(["/known": Route(content), "/unknown": unknown]) { server in
            let segdl = try SegdlBinary()
            for path in ["/known", "/unknown"] {
                let result = try segdl.start(after: "ulimit -f 4000", [server.url(path)]).wait()
                #expect(result.end == .exit(3), "\(path): \(result.standardError)")
                #expect(result.standardError.contains("ulimit -f"))
                #expect(try segdl.folder.names().isEmpty)
            }
            #expect(server.log.requests(for: "/known").allSatisfy { $0.method == "HEAD" })
            #expect(try segdl.run([server.url("/known"), server.url("/unknown")]).end == .exit(0))
            for name in ["known", "unknown"] { #expect(try content.matches(fileAt: segdl.folder.path(name))) }
        }
    }

    @Test(
        "Without fallocate, and without sync_file_range, the file is right all the same",
        .enabled(if: Strace.missing == nil, "\(Strace.missing ?? "")"),
        arguments: ["EOPNOTSUPP", "ENOSYS"]
    )
    func withoutPreallocation(error: String) throws {
        try FaultServer.run(["/file": Route(content)]) { server in
            let segdl = try SegdlBinary()
            let words = Strace.injecting("error=\(error)", into: "/^(fallocate|sync_file_range)$")
            let result = try segdl.start(behind: words, ["-q", "-s", "64K", server.url("/file")]).wait()
            #expect(result.end == .exit(0), "\(result.standardError)")
            #expect(try content.matches(fileAt: segdl.folder.path("file")))
            #expect(try segdl.folder.names() == ["file"])
        }
    }

    @Test("On a tmpfs the file is right", .enabled(if: tmpfs == nil, "\(tmpfs ?? "")"))
    func inMemory() throws {
        try FaultServer.run(["/file": Route(content)]) { server in
            let disk = try MountedFileSystem(.tmpfs(byteCount: 9 << 20))
            let segdl = try SegdlBinary(in: disk.path)
            #expect(try segdl.run(["-q", server.url("/file")]).end == .exit(0))
            #expect(try content.matches(fileAt: segdl.folder.path("file")))
        }
    }
}
