import Foundation
import SegmentedDownload
import SegmentedDownloadCore
import Synchronization
import Testing

@Suite struct JournalTests {
    static let url = "https://user:secret@host.example/file.iso?token=hidden"
    static let length: Int64 = 10 * MiB

    @Test func `what was recorded is loaded again`() throws {
        let test = try FilesTestFolder()
        let (part, journal) = try make(in: test)
        try journal.record(segments: [3, 0, 159])
        try journal.sync()
        try journal.record(segments: [7])
        let contents = try #require(try load(test, part))
        #expect(contents.header == journal.header)
        #expect(Array(contents.bitmap.runs(of: true)) == [0..<1, 3..<4, 7..<8, 159..<160])
        #expect(contents.damage.lostBlockCount == 0)
        #expect(!contents.needsSyncBeforeTrust)
        #expect(try test.allNames == [test.names.journal, test.names.part])
        #expect(try test.bytes(at: test.names.journal).count == 3 * 4096)
    }

    @Test func `the URL stands in it as a salted hash only`() throws {
        let test = try FilesTestFolder()
        let (_, journal) = try make(in: test)
        #expect(journal.header.isForURL(Self.url))
        #expect(!journal.header.isForURL(Self.url + "x"))
        let text = try String(decoding: test.bytes(at: test.names.journal), as: UTF8.self)
        for part in ["host.example", "secret", "hidden"] { #expect(!text.contains(part)) }
        let other = try FilesTestFolder()
        #expect(try make(in: other).1.header.urlHash != journal.header.urlHash)
    }

    @Test func `the URL's hash is SHA-256 over id and URL`() {
        // printf '\001\0\0\0\0\0\0\0\002\0\0\0\0\0\0\0abc' | sha256sum
        let hash = JournalHeader.urlHash(id: .init(first: 1, second: 2), url: "abc")
        #expect(hash?.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined() == Self.knownHash)
    }
    static let knownHash = "d2e978778001cde058c709f0d5e26de20e8d8a62e9e926a3a975e8e435f58d79"

    @Test func `a missing journal is absent`() throws {
        let test = try FilesTestFolder()
        #expect(try Journal.load(in: test.folder, names: test.names, partFile: try test.openPart()) == .absent)
    }

    @Test(arguments: [0, 1, 4095])
    func `a truncated header, and no bytes at all, make it unusable`(byteCount: Int) throws {
        let test = try FilesTestFolder()
        let (part, _) = try make(in: test)
        try test.change(test.names.journal) { $0.removeLast($0.count - byteCount) }
        #expect(try reason(test, part) == "The journal '\(test.path(test.names.journal))' is too short.")
    }

    @Test func `any other file in its place makes it unusable`() throws {
        let test = try FilesTestFolder()
        let (part, _) = try make(in: test)
        try test.change(test.names.journal) { $0 = [UInt8](repeating: 0, count: $0.count) }
        #expect(try reason(test, part).hasSuffix("is no journal of segdl."))
        try test.change(test.names.journal) { $0 = Array(repeating: 0x41, count: 9) }
        #expect(try reason(test, part).hasSuffix("is too short."))
    }

    @Test func `a damaged block means that its segments are missing, no more`() throws {
        let test = try FilesTestFolder()
        let part = try test.openPart()
        let count = 2 * 3968
        let journal = try make(in: test, part: part, length: Int64(count), segmentSize: 1)
        try journal.record(segments: [5, 3968 + 5])
        try test.change(test.names.journal) { bytes in
            for copy in 1...2 { bytes[copy * 4096 + 512 + 20] ^= 1 }
        }
        let contents = try #require(try load(test, part))
        #expect(contents.damage.lostBlockCount == 1)
        #expect(Array(contents.bitmap.runs(of: true)) == [5..<6])
    }

    @Test func `a journal that lost its tail can be gone on with`() throws {
        let test = try FilesTestFolder()
        let (part, journal) = try make(in: test)
        try journal.record(segments: [5])
        try test.change(test.names.journal) { $0.removeLast($0.count - 4096) }
        let contents = try #require(try load(test, part))
        #expect(contents.damage.lostBlockCount == 1)
        #expect(contents.bitmap.finishedCount == 0)
        let resumed = try #require(try resume(contents, test, part))
        try resumed.record(segments: [9])
        #expect(try load(test, part).map { Array($0.bitmap.runs(of: true)) } == [9..<10])
    }

    @Test func `a journal of another part file proves nothing`() throws {
        let test = try FilesTestFolder()
        var part: PartFile? = try make(in: test).0
        rename(test.path(test.names.part), test.path("kept"))
        part = nil
        _ = part
        let other = try test.openPart()
        try other.reserve(Self.length)
        #expect(try reason(test, other).hasSuffix("belongs to another part file."))
    }

    @Test(arguments: [0, length - 1, length + 1])
    func `a part file of another size proves nothing`(size: Int64) throws {
        let test = try FilesTestFolder()
        let (part, _) = try make(in: test)
        try part.truncate(to: size)
        #expect(try reason(test, part).hasSuffix("belongs to a part file of another size."))
    }

    @Test func `it is never read through a link, from a FIFO or a folder`() throws {
        let test = try FilesTestFolder()
        let (part, _) = try make(in: test)
        let path = test.path(test.names.journal)
        rename(path, test.path("target"))
        symlink("target", path)
        #expect(try reason(test, part).hasSuffix("is a symbolic link."))
        unlink(path)
        mkfifo(path, 0o600)
        #expect(try reason(test, part).hasSuffix("is a device, FIFO or socket."))
        unlink(path)
        mkdir(path, 0o700)
        #expect(try reason(test, part).hasSuffix("is a folder."))
    }

    @Test func `a journal that can't be opened is an error, since it may be worth a lot`() throws {
        let test = try FilesTestFolder()
        let (part, _) = try make(in: test)
        let message = localFileMessage {
            try test.failing([.openat: EMFILE]) {
                _ = try Journal.load(in: test.folder, names: test.names, partFile: part)
            }
        }
        #expect(message.hasPrefix("Could not open the journal '\(test.path(test.names.journal))'"))
    }

    @Test(arguments: [EIO, ESTALE])
    func `a header that can't be read is an error too, with a way out`(number: Int32) throws {
        let test = try FilesTestFolder()
        let (part, _) = try make(in: test)
        let message = localFileMessage {
            try test.failing([.pread: number]) {
                _ = try Journal.load(in: test.folder, names: test.names, partFile: part)
            }
        }
        #expect(message.hasPrefix("The journal '\(test.path(test.names.journal))' can't be read; "))
        #expect(message.contains("--restart"))
    }

    @Test func `bits that the disk can't read are damage, and those that can't be reached an error`() throws {
        let test = try FilesTestFolder()
        let (part, journal) = try make(in: test)
        try journal.record(segments: [4])
        func load(failingWith number: Int32) throws -> JournalContents? {
            let reads = Atomic(0)
            return try test.watching { call, file in
                guard call == .pread, file == test.names.journal else { return nil }
                return reads.add(1, ordering: .relaxed).newValue > 1 ? Errno(rawValue: number) : nil
            } _: {
                try self.load(test, part)
            }
        }
        let contents = try #require(try load(failingWith: EIO))
        #expect(contents.bitmap.finishedCount == 0)
        #expect(contents.damage.lostBlockCount == 1)
        #expect(localFileMessage { _ = try load(failingWith: ESTALE) }.contains("can't be read"))
    }

    @Test func `a damaged slot beside a valid one is told of`() throws {
        let test = try FilesTestFolder()
        let (part, journal) = try make(in: test)
        try journal.record(segments: [4])
        try test.change(test.names.journal) { $0[4096 + 20] ^= 1 }
        let contents = try #require(try load(test, part))
        #expect(contents.damage.lostBlockCount == 0)
        #expect(contents.damage.damagedSlotCount == 1)
    }

    @Test func `it is written, synced, renamed and its folder synced, in this order`() throws {
        let test = try FilesTestFolder()
        let part = try test.openPart()
        let log = EventLog()
        try test.watching { call, name in
            if [.pwrite, .fsync, .renameat].contains(call) { log.append("\(call) \(name)") }
            return nil
        } _: {
            _ = try make(in: test, part: part)
        }
        let new = test.names.newJournal
        #expect(
            log.events == [
                "pwrite \(new)", "pwrite \(new)", "pwrite \(new)", "fsync \(new)", "renameat .", "fsync .",
            ]
        )
        #expect(new.utf8.count <= test.names.journal.utf8.count)
    }

    @Test(arguments: [SystemCall.Name.openat, .pwrite, .fsync, .renameat])
    func `a failed creation leaves the journal that was there`(call: SystemCall.Name) throws {
        let test = try FilesTestFolder()
        let (part, journal) = try make(in: test)
        try journal.record(segments: [1])
        let message = localFileMessage {
            try test.failing([call: EIO]) { _ = try make(in: test, part: part) }
        }
        #expect(message.hasPrefix("Could not write the journal '\(journal.path)'; check the disk"))
        #expect(try load(test, part)?.bitmap.finishedCount == 1)
        #expect(try test.allNames == [test.names.journal, test.names.part])
    }

    @Test func `what an earlier run left half made is replaced, a link there not followed`() throws {
        let test = try FilesTestFolder()
        try test.put("precious", at: "target")
        symlink("target", test.path(test.names.newJournal))
        let (part, _) = try make(in: test)
        #expect(try load(test, part) != nil)
        #expect(try test.text(at: "target") == "precious")
    }

    @Test func `a file with too many segments is refused with a remedy`() throws {
        let test = try FilesTestFolder()
        let part = try test.openPart()
        let message = localFileMessage { _ = try make(in: test, part: part, length: .max, segmentSize: 65536) }
        #expect(message.contains("too many segments for a journal; choose larger ones with -s."))
    }

}

extension JournalTests {
    func make(in test: FilesTestFolder, syncs: Bool = true) throws -> (PartFile, Journal) {
        let part = try test.openPart()
        let journal = try make(in: test, part: part, syncs: syncs)
        try part.reserve(Self.length)
        return (part, journal)
    }

    func make(
        in test: FilesTestFolder,
        part: PartFile,
        length: Int64 = length,
        segmentSize: Int64 = 64 * KiB,
        syncs: Bool = true
    ) throws -> Journal {
        let header = try JournalHeader.new(
            url: Self.url,
            length: length,
            segmentSize: segmentSize,
            strongETag: "\"tag\"",
            lastModified: 1_000_000,
            mediaType: "application/x-iso9660-image",
            partFile: part
        )
        let journal = try Journal.create(
            in: test.folder,
            names: test.names,
            header: header,
            bitmap: SegmentBitmap(count: header.segmentCount),
            syncs: syncs
        )
        try part.reserve(length)
        return journal
    }

    func load(_ test: FilesTestFolder, _ part: PartFile) throws -> JournalContents? {
        guard case .usable(let contents) = try Journal.load(in: test.folder, names: test.names, partFile: part) else {
            return nil
        }
        return contents
    }

    func reason(_ test: FilesTestFolder, _ part: PartFile) throws -> String {
        let load = try Journal.load(in: test.folder, names: test.names, partFile: part)
        guard case .unusable(let reason) = load else { return "\(load)" }
        return reason
    }

    func resume(
        _ contents: JournalContents,
        _ test: FilesTestFolder,
        _ part: PartFile,
        syncs: Bool = true
    ) throws -> Journal? {
        try Journal.resume(contents, in: test.folder, names: test.names, partFile: part, syncs: syncs)
    }
}
