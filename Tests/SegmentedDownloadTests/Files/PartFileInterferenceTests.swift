import Foundation
import SegmentedDownload
import SegmentedDownloadCore
import Testing

/// What a part file notices of other programs. The tests' folder lies on a file system that tells holes, or in memory.
@Suite struct PartFileInterferenceTests {
    private let test: FilesTestFolder
    private let part: PartFile

    init() throws {
        test = try FilesTestFolder(in: FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : nil)
        part = try test.openPart()
    }

    private func write(_ byteCount: Int, at offset: Int64) throws {
        try [UInt8](repeating: 0, count: byteCount).withUnsafeBytes { try part.write($0, at: offset) }
    }

    @Test func `a removed file and a shorter one are told; only the shorter one is damaged`() throws {
        try part.reserve(65_536)
        #expect(try part.checkIsWhole(leastByteCount: 65_536) == 65_536)
        #expect(localFileMessage { _ = try part.checkIsWhole(leastByteCount: 65_537) }.contains("was made shorter"))
        #expect(part.isDamaged)
        let gone = try PartFile.openLocked(in: test.folder, name: "gone.segdl.part")
        try test.folder.unlink("gone.segdl.part")
        #expect(localFileMessage { _ = try gone.checkIsWhole(leastByteCount: 0) }.contains("renamed or removed"))
        #expect(!gone.isDamaged)
    }

    #if os(Linux)
        @Test func `bytes that were never written are told, also where later ones were; written zeros are bytes`()
            throws
        {
            try write(65_536, at: 0)
            try part.checkHasNoHoles(65_536)
            try part.checkHasNoHoles(0)
            try write(65_536, at: 131_072)
            #expect(localFileMessage { try part.checkHasNoHoles(196_608) }.contains("nothing in it can be trusted"))
            #expect(part.isDamaged)
        }
    #endif
}
