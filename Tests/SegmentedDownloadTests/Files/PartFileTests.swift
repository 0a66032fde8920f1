import Foundation
import SegmentedDownload
import Testing

@Suite struct PartFileTests {
    @Test func `a new part file is empty and locked`() throws {
        let test = try FilesTestFolder()
        let part = try test.openPart()
        #expect(part.isLocked)
        #expect(try part.size() == 0)
        #expect(try test.folder.fileStatus(part.name)?.inode == part.inode)
    }

    @Test func `a second segdl on the same name is told so, and may go on when the first has ended`() throws {
        let test = try FilesTestFolder()
        var first: PartFile? = try test.openPart()
        try write("held", to: first)
        let message = localFileMessage { _ = try test.openPart() }
        // Which process it is, not every file system tells.
        #expect(message.hasPrefix("Another segdl "))
        #expect(
            message.hasSuffix(
                " is downloading to '\(test.path(test.names.part))'; wait for it, or choose another name with -o."
            )
        )
        first = nil
        #expect(try test.openPart().size() == 4)
    }

    @Test func `the lock can be given back before the last reference goes`() throws {
        let test = try FilesTestFolder()
        let first = try test.openPart()
        first.unlock()
        #expect(try test.openPart().isLocked)
        #expect(try first.size() == 0)
    }

    @Test func `a file that became NAME between open and lock is left alone`() throws {
        let test = try FilesTestFolder()
        try test.put("complete", at: test.names.part)
        let part = try test.before(.flock) {
            rename(test.path(test.names.part), test.path("file.iso"))
        } _: {
            try test.openPart()
        }
        try write("new", to: part)
        #expect(try test.text(at: "file.iso") == "complete")
        #expect(try test.text(at: test.names.part) == "new")
    }

    @Test func `a part file that is replaced each time ends with an error, not with a hang`() throws {
        let test = try FilesTestFolder()
        let path = test.path(test.names.part)
        let message = localFileMessage {
            try test.watching { call, _ in
                if call == .flock { unlink(path) }
                return nil
            } _: {
                _ = try test.openPart()
            }
        }
        #expect(message == "'\(path)' is replaced again and again; choose another name with -o.")
    }

    @Test(arguments: [ENOLCK, ENOSYS, EOPNOTSUPP])
    func `without locks it goes on and says so`(number: Int32) throws {
        let test = try FilesTestFolder()
        let part = try test.failing([.flock: number]) { try test.openPart() }
        #expect(!part.isLocked)
    }

    @Test func `it is never opened through a symbolic link`() throws {
        let test = try FilesTestFolder()
        try test.put("precious", at: "target")
        for target in ["target", "missing"] {
            unlink(test.path(test.names.part))
            symlink(target, test.path(test.names.part))
            #expect(localFileMessage { _ = try test.openPart() }.contains("is a symbolic link, where the part file"))
        }
        #expect(try test.text(at: "target") == "precious")
        #expect(try test.allNames == [test.names.part, "target"])
    }

    @Test func `a link that appears at the last moment is not followed either`() throws {
        let test = try FilesTestFolder()
        try test.put("precious", at: "target")
        let message = localFileMessage {
            try test.before(.openat) {
                symlink("target", test.path(test.names.part))
            } _: {
                _ = try test.openPart()
            }
        }
        #expect(message.contains("is a symbolic link"))
    }

    @Test func `a folder, a FIFO and a file with a second name are refused`() throws {
        let test = try FilesTestFolder()
        let path = test.path(test.names.part)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(localFileMessage { _ = try test.openPart() }.contains("is a folder"))
        rmdir(path)
        mkfifo(path, 0o600)
        #expect(localFileMessage { _ = try test.openPart() }.contains("is a device, FIFO or socket"))
        unlink(path)
        try test.put("precious", at: "other")
        link(test.path("other"), path)
        #expect(localFileMessage { _ = try test.openPart() }.contains("has a second name"))
        #expect(try test.text(at: "other") == "precious")
    }

    @Test func `what was written is read back`() throws {
        let test = try FilesTestFolder()
        let part = try test.openPart()
        try part.reserve(100_000)
        let bytes = (0..<50_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        try bytes.withUnsafeBytes { try part.write($0, at: 30_000) }
        var read = [UInt8](repeating: 1, count: 60_000)
        #expect(try read.withUnsafeMutableBytes { try part.read(into: $0, at: 30_000) } == 60_000)
        #expect(Array(read[..<50_000]) == bytes)
        #expect(read[50_000...].allSatisfy { $0 == 0 })
        #expect(try read.withUnsafeMutableBytes { try part.read(into: $0, at: 90_000) } == 10_000)
        try part.startWriteBack()
        try part.syncData()
    }

    @Test(arguments: [ENOSYS, EINVAL, ESPIPE, EOPNOTSUPP])
    func `write-back that the system lacks is no error`(number: Int32) throws {
        let test = try FilesTestFolder()
        let part = try test.openPart()
        try test.failing([.startWriteBack: number]) { try part.startWriteBack() }
    }

    @Test func `it removes itself but no file that took its name`() throws {
        let test = try FilesTestFolder()
        let part = try test.openPart()
        unlink(test.path(part.name))
        try test.put("other", at: part.name)
        try part.remove()
        #expect(try test.text(at: part.name) == "other")
        unlink(test.path(part.name))
        let mine = try test.openPart()
        try mine.remove()
        #expect(try test.allNames == [])
    }

    private func write(_ text: String, to part: PartFile?) throws {
        try Array(text.utf8).withUnsafeBytes { try part?.write($0, at: 0) }
    }
}
