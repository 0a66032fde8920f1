import Foundation
import SegmentedDownload
import Testing

@Suite struct PartFilePublishTests {
    /// What a file system lacks: nothing, renameat2, or hard links too.
    static let fileSystems: [[SystemCall.Name: Int32]] = [
        [:], [.renameNoReplace: EINVAL], [.renameNoReplace: ENOSYS, .linkat: EPERM],
        [.renameNoReplace: EOPNOTSUPP, .linkat: EOPNOTSUPP],
    ]

    @Test(arguments: fileSystems, [true, false])
    func `the complete file gets its name`(lacks: [SystemCall.Name: Int32], isReplacing: Bool) throws {
        let test = try FilesTestFolder()
        let part = try partFile(in: test)
        try test.failing(lacks) { try part.publish(as: "file.iso", replacing: isReplacing) }
        #expect(try test.allNames == ["file.iso"])
        #expect(try test.text(at: "file.iso") == "new")
    }

    @Test(arguments: fileSystems)
    func `a file that was there before stays, and so does the part file`(lacks: [SystemCall.Name: Int32]) throws {
        let test = try FilesTestFolder()
        let part = try partFile(in: test)
        try test.put("old", at: "file.iso")
        let message = localFileMessage {
            try test.failing(lacks) { try part.publish(as: "file.iso", replacing: false) }
        }
        #expect(
            message == "'\(test.path("file.iso"))' is there already, as a file; what was downloaded stays in "
                + "'\(part.path)': run the command again with --overwrite to replace it, or choose another name with -o."
        )
        try expectUntouched(test, "old")
    }

    @Test(arguments: zip(fileSystems.prefix(2), [SystemCall.Name.renameNoReplace, .linkat]))
    func `a file that appears at the last moment stays`(
        lacks: [SystemCall.Name: Int32],
        lastCall: SystemCall.Name
    ) throws {
        let test = try FilesTestFolder()
        let part = try partFile(in: test)
        let message = localFileMessage {
            try test.before(lastCall) {
                try? test.put("appeared", at: "file.iso")
            } _: {
                try test.failing(lacks) { try part.publish(as: "file.iso", replacing: false) }
            }
        }
        #expect(message.contains("is there already"))
        try expectUntouched(test, "appeared")
    }

    @Test func `a file is replaced when the user said so`() throws {
        let test = try FilesTestFolder()
        let part = try partFile(in: test)
        try test.put("old", at: "file.iso")
        try part.publish(as: "file.iso", replacing: true)
        #expect(try test.text(at: "file.iso") == "new")
        #expect(try test.allNames == ["file.iso"])
    }

    @Test(arguments: [true, false])
    func `a folder, a link and a FIFO are never renamed over`(isReplacing: Bool) throws {
        let test = try FilesTestFolder()
        let part = try partFile(in: test)
        try test.put("precious", at: "target")
        try FileManager.default.createDirectory(atPath: test.path("folder"), withIntermediateDirectories: false)
        symlink("target", test.path("link"))
        mkfifo(test.path("fifo"), 0o600)
        for name in ["folder", "link", "fifo"] {
            let before = try test.folder.fileStatus(name)
            let message = localFileMessage { try part.publish(as: name, replacing: isReplacing) }
            #expect(message.contains("is there already, as a"))
            #expect(message.contains("move it away"))
            #expect(try test.folder.fileStatus(name) == before)
        }
        #expect(try test.text(at: "target") == "precious")
        #expect(try test.text(at: part.name) == "new")
    }

    @Test func `a stranger's file at the part file's name is not published`() throws {
        let test = try FilesTestFolder()
        let part = try partFile(in: test)
        unlink(test.path(part.name))
        #expect(localFileMessage { try part.publish(as: "file.iso", replacing: true) }.contains("by another program"))
        try test.put("stranger", at: part.name)
        #expect(localFileMessage { try part.publish(as: "file.iso", replacing: true) }.contains("by another program"))
        #expect(try test.allNames == [part.name])
    }

    @Test func `a link that was made although the answer was lost counts as made`() throws {
        let test = try FilesTestFolder()
        let part = try partFile(in: test)
        try test.before(.linkat) {
            link(test.path(test.names.part), test.path("file.iso"))
        } _: {
            try test.failing([.renameNoReplace: EINVAL]) { try part.publish(as: "file.iso", replacing: false) }
        }
        #expect(try test.allNames == ["file.iso"])
    }

    private func partFile(in test: FilesTestFolder) throws -> PartFile {
        let part = try test.openPart()
        try [UInt8]("new".utf8).withUnsafeBytes { try part.write($0, at: 0) }
        return part
    }

    private func expectUntouched(_ test: FilesTestFolder, _ text: String) throws {
        #expect(try test.text(at: "file.iso") == text)
        #expect(try test.text(at: test.names.part) == "new")
    }
}
