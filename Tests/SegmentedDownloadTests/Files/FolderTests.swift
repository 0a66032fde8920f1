import Foundation
import SegmentedDownload
import SegmentedDownloadLocking
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite struct FolderTests {
    @Test(arguments: ["a", "a/b/c", "a//b/", "./a/../b"])
    func `missing folders are made when they may be`(relative: String) throws {
        let test = try FilesTestFolder()
        if relative.contains("..") {
            try FileManager.default.createDirectory(atPath: test.path("a"), withIntermediateDirectories: false)
        }
        _ = try Folder.open(path: test.path(relative), creating: true)
        var isDirectory: ObjCBool = false
        #expect(FileManager.default.fileExists(atPath: test.path(relative), isDirectory: &isDirectory))
        #expect(isDirectory.boolValue)
        _ = try Folder.open(path: test.path(relative), creating: true)
    }

    @Test(arguments: [EACCES, EROFS])
    func `the folder that can't be made is named, and why, not one below it that could not be there`(code: Int32) throws
    {
        let test = try FilesTestFolder()
        try FileManager.default.createDirectory(atPath: test.path("ro"), withIntermediateDirectories: false)
        let refused = test.path("ro/x")
        let refusing: SystemCall.Interceptor = { attempt, proceed throws(Errno) in
            if case .name(refused) = attempt.arguments, attempt.name == .mkdir { throw Errno(rawValue: code) }
            return try proceed()
        }
        for path in ["ro/x", "ro/x/y", "ro/x/y/z"] {
            let message = localFileMessage {
                _ = try SystemCall.withInterceptor(refusing) { try Folder.open(path: test.path(path), creating: true) }
            }
            let advice = "choose a folder that you may write to (-d, or dir= in a list)"
            #expect(message == "Could not make the folder '\(refused)'; \(advice).", "\(path)")
        }
    }

    @Test(arguments: [true, false])
    func `the name of each folder that is made is on the disk when it is opened`(isSyncing: Bool) throws {
        let test = try FilesTestFolder()
        let synced = Locked<[String]>([])
        let watching: SystemCall.Interceptor = { attempt, proceed throws(Errno) in
            if attempt.name == .fsync, let name = FilesTestFolder.name(ofDescriptor: attempt.fd, in: test.path) {
                synced.withLock { $0.append(name) }
            }
            return try proceed()
        }
        try FileManager.default.createDirectory(atPath: test.path("a"), withIntermediateDirectories: false)
        _ = try SystemCall.withInterceptor(watching) {
            try Folder.open(path: test.path("a/b/c"), creating: true, syncing: isSyncing)
        }
        #expect(synced.withLock { $0 } == (isSyncing ? ["a", "a/b"] : []))
    }

    @Test func `a sync of a folder above that fails is told`() throws {
        let test = try FilesTestFolder()
        let failing: SystemCall.Interceptor = { attempt, proceed throws(Errno) in
            let name = FilesTestFolder.name(ofDescriptor: attempt.fd, in: test.path)
            if attempt.name == .fsync, name == "." { throw Errno(rawValue: EIO) }
            return try proceed()
        }
        let message = localFileMessage {
            _ = try SystemCall.withInterceptor(failing) { try Folder.open(path: test.path("a/b"), creating: true) }
        }
        #expect(message.hasPrefix("Could not sync the folder '\(test.path)"), "\(message)")
    }

    @Test func `a folder above that is there and refuses to be made again is no obstacle`() throws {
        let test = try FilesTestFolder()
        let there = test.path
        let refusing: SystemCall.Interceptor = { attempt, proceed throws(Errno) in
            if case .name(there) = attempt.arguments, attempt.name == .mkdir { throw Errno(rawValue: EROFS) }
            return try proceed()
        }
        _ = try SystemCall.withInterceptor(refusing) { try Folder.open(path: test.path("a/b"), creating: true) }
        #expect(try test.allNames == ["a"])
    }

    @Test func `the longest name that a folder tells is the longest that can be made in it`() throws {
        let test = try FilesTestFolder()
        let limit = try Folder.open(path: test.path(""), creating: false).longestNameByteCount
        let name = String(repeating: "x", count: limit)
        #expect(FileManager.default.createFile(atPath: test.path(name), contents: nil))
        #expect(!FileManager.default.createFile(atPath: test.path(name + "x"), contents: nil))
    }

    @Test func `a missing folder is named when it may not be made`() throws {
        let test = try FilesTestFolder()
        let message = localFileMessage { _ = try Folder.open(path: test.path("no"), creating: false) }
        #expect(message == "The folder '\(test.path("no"))' does not exist; create it, or choose another one.")
        #expect(try test.allNames == [])
    }

    @Test(arguments: [true, false])
    func `a file in the way is named`(isCreating: Bool) throws {
        let test = try FilesTestFolder()
        try test.put("x", at: "file")
        for path in ["file", "file/below"] {
            let message = localFileMessage { _ = try Folder.open(path: test.path(path), creating: isCreating) }
            #expect(message == "'\(test.path(path))' is no folder; choose another one.")
        }
    }

    @Test func `a status tells what stands at a name and follows no link`() throws {
        let test = try FilesTestFolder()
        try test.put("12345", at: "file")
        try FileManager.default.createSymbolicLink(atPath: test.path("link"), withDestinationPath: "file")
        try FileManager.default.createDirectory(atPath: test.path("folder"), withIntermediateDirectories: false)
        #expect(mkfifo(test.path("fifo"), 0o600) == 0)
        #expect(try test.folder.fileStatus("file")?.kind == .regular)
        #expect(try test.folder.fileStatus("file")?.size == 5)
        #expect(try test.folder.fileStatus("link")?.kind == .symbolicLink)
        #expect(try test.folder.fileStatus("folder")?.kind == .directory)
        #expect(try test.folder.fileStatus("fifo")?.kind == .other)
        #expect(try test.folder.fileStatus("nothing") == nil)
    }

    @Test func `removing a name that isn't there is no error, and a folder is never removed`() throws {
        let test = try FilesTestFolder()
        try test.folder.unlink("nothing")
        try FileManager.default.createDirectory(atPath: test.path("folder"), withIntermediateDirectories: false)
        #expect(localFileMessage { try test.folder.unlink("folder") }.hasPrefix("Could not remove"))
        #expect(try test.allNames == ["folder"])
    }

    @Test func `a file system that can't sync folders is no error, a disk that fails is`() throws {
        let test = try FilesTestFolder()
        try test.folder.sync()
        try test.failing([.fsync: EINVAL]) { try test.folder.sync() }
        let message = localFileMessage { try test.failing([.fsync: EIO]) { try test.folder.sync() } }
        #expect(message.hasPrefix("Could not sync the folder '\(test.path)'; check the disk"))
    }

    @Test(arguments: [(".", "n"), ("", "n"), ("/", "/n"), ("/tmp", "/tmp/n"), ("/tmp/", "/tmp/n")])
    func `a path in a message reads as the user would type it`(path: String, expected: String) throws {
        #expect(try Folder.open(path: path, creating: false).path(of: "n") == expected)
    }
}
