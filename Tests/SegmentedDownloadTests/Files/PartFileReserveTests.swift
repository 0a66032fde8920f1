import Foundation
import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

@Suite struct PartFileReserveTests {
    static let sharedMemory = "/dev/shm"

    @Test func `room on a disk is set aside`() throws {
        let test = try FilesTestFolder()
        let part = try test.openPart()
        try part.reserve(4 * MiB)
        let status = try #require(try test.folder.fileStatus(part.name))
        #expect(status.size == 4 * MiB)
        #expect(status.allocatedByteCount >= 4 * MiB)
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: sharedMemory), "no /dev/shm here"))
    func `on tmpfs only the size is set, since allocation writes zeros there`() throws {
        let test = try FilesTestFolder(in: Self.sharedMemory)
        let part = try test.openPart()
        try part.reserve(64 * MiB)
        let status = try #require(try test.folder.fileStatus(part.name))
        #expect(status.size == 64 * MiB)
        #expect(status.allocatedByteCount == 0)
    }

    @Test(arguments: [EOPNOTSUPP, ENOSYS, EINVAL])
    func `a file system without fallocate gets the size only`(number: Int32) throws {
        let test = try FilesTestFolder()
        let part = try test.openPart()
        try test.failing([.fallocate: number]) { try part.reserve(4 * MiB) }
        let status = try #require(try test.folder.fileStatus(part.name))
        #expect(status.size == 4 * MiB)
        #expect(status.allocatedByteCount == 0)
    }

    @Test func `a longer file is cut, a shorter one keeps its bytes, and nothing is possible`() throws {
        let test = try FilesTestFolder()
        let part = try test.openPart()
        try part.reserve(10_000)
        try [UInt8]("abc".utf8).withUnsafeBytes { try part.write($0, at: 0) }
        try part.reserve(5)
        #expect(try test.bytes(at: part.name) == [97, 98, 99, 0, 0])
        try part.reserve(7)
        #expect(try test.bytes(at: part.name) == [97, 98, 99, 0, 0, 0, 0])
        try part.reserve(0)
        #expect(try part.size() == 0)
    }

    @Test func `more than the disk has is refused before anything is allocated`() throws {
        let test = try FilesTestFolder()
        let part = try test.openPart()
        let message = localFileMessage { try part.reserve(.max / 2) }
        #expect(message.hasPrefix("There is no room for '\(part.path)': it needs \(Int64.max / 2) bytes, and "))
        #expect(message.hasSuffix(" are free; make room, or choose another folder (-d, or dir= in a list)."))
        #expect(try part.size() == 0)
    }

    @Test(arguments: [ENOSPC, EDQUOT])
    func `a disk that is full only now is the same error, and the size is as before`(number: Int32) throws {
        let test = try FilesTestFolder()
        let part = try test.openPart()
        try part.reserve(5)
        let message = localFileMessage { try test.failing([.fallocate: number]) { try part.reserve(4 * MiB) } }
        #expect(message.hasPrefix("There is no room for '\(part.path)': it needs \(4 * MiB) bytes, and "))
        #expect(try part.size() == 5)
    }

    @Test func `a file too large for its file system is said to be`() throws {
        let test = try FilesTestFolder()
        let part = try test.openPart()
        let message = localFileMessage { try test.failing([.fallocate: EFBIG]) { try part.reserve(4 * MiB) } }
        #expect(message.contains("(ulimit -f), or choose a folder whose file system holds files of this size"))
        #expect(try part.size() == 0)
    }

    @Test(.enabled(if: geteuid() == 0, "mounting a small tmpfs needs root"))
    func `a full file system is an error of the kind localFile, at once and while writing`() throws {
        let outer = try FilesTestFolder()
        let mountPoint = outer.path("mount")
        try FileManager.default.createDirectory(atPath: mountPoint, withIntermediateDirectories: false)
        try run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", mountPoint)
        defer { try? run("umount", "-l", mountPoint) }
        let test = try FilesTestFolder(in: mountPoint)
        let part = try test.openPart()
        #expect(localFileMessage { try part.reserve(2 * MiB) }.hasPrefix("There is no room for '\(part.path)'"))
        #expect(try part.size() == 0)
        // The system writes what fits, and refuses the rest.
        let tooMuch = [UInt8](repeating: 7, count: Int(2 * MiB))
        let error = #expect(throws: Errno.self) { try tooMuch.withUnsafeBytes { try part.write($0, at: 0) } }
        #expect(error == Errno(rawValue: ENOSPC))
        #expect(try part.size() > 0)
        #expect(
            error.map(part.writeError)?.message == "Could not write to '\(part.path)'; "
                + "make room, or choose another folder (-d, or dir= in a list)."
        )
    }

    private func run(_ arguments: String...) throws {
        let result = try ChildProcess.run("/usr/bin/env", arguments)
        try #require(result.end == .exit(0), "\(arguments): \(result.standardError)")
    }
}
