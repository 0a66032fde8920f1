import Foundation
import SegmentedDownload
import SegmentedDownloadCore
import Testing

/// Going on with a journal, with and without syncs, before and now.
@Suite struct JournalResumeTests {
    private let helper = JournalTests()

    @Test(arguments: [true, false], [true, false])
    func `bits are kept from a run with or without syncs to one with or without`(first: Bool, second: Bool) throws {
        let test = try FilesTestFolder()
        let (part, journal) = try helper.make(in: test, syncs: first)
        #expect((journal.header.bootID == nil) == first)
        try journal.record(segments: [4])
        let contents = try #require(try helper.load(test, part))
        #expect(contents.needsSyncBeforeTrust == !first)
        let resumed = try #require(try helper.resume(contents, test, part, syncs: second))
        #expect((resumed.header.bootID == nil) == second)
        try resumed.record(segments: [5])
        let last = try #require(try helper.load(test, part))
        #expect(Array(last.bitmap.runs(of: true)) == [4..<6])
        #expect(last.header == resumed.header)
        #expect(last.header.id == journal.header.id)
        #expect(last.needsSyncBeforeTrust == !second)
    }

    @Test func `a journal of the same kind is gone on with in place`() throws {
        let test = try FilesTestFolder()
        let (part, _) = try helper.make(in: test)
        let inode = try test.folder.fileStatus(test.names.journal)?.inode
        _ = try helper.resume(try #require(try helper.load(test, part)), test, part)
        #expect(try test.folder.fileStatus(test.names.journal)?.inode == inode)
    }

    @Test func `unsynced bits of another boot prove nothing`() throws {
        let test = try FilesTestFolder()
        let (part, journal) = try helper.make(in: test, syncs: false)
        let bootID = try #require(journal.header.bootID)
        #expect(try bootID == BootID.current())
        let header = try journal.header.with(bootID: String(bootID.reversed()))
        try test.change(test.names.journal) { $0.replaceSubrange(0..<4096, with: header.encoded()) }
        #expect(
            try helper.reason(test, part).hasSuffix("was written with --no-sync before the machine was restarted.")
        )
    }

    @Test func `a boot whose name can't be read just now is an error, and nothing is thrown away`() throws {
        let test = try FilesTestFolder()
        let (part, _) = try helper.make(in: test, syncs: false)
        let me = pthread_self()
        let message = localFileMessage {
            try SystemCall.withInterceptor { attempt, proceed throws(Errno) in
                if case .opening(let name, _) = attempt.arguments, name.hasSuffix("/boot_id"), pthread_self() == me {
                    throw Errno(rawValue: EMFILE)
                }
                return try proceed()
            } _: {
                _ = try Journal.load(in: test.folder, names: test.names, partFile: part)
            }
        }
        #expect(message.contains("can't be read"))
    }

    @Test func `unsynced bits are worth nothing when the sync that they need fails`() throws {
        let test = try FilesTestFolder()
        let (part, journal) = try helper.make(in: test, syncs: false)
        try journal.record(segments: [4])
        let contents = try #require(try helper.load(test, part))
        let resumed = try test.failing([.fdatasync: EIO]) { try helper.resume(contents, test, part) }
        #expect(resumed == nil)
    }

    @Test func `the data is synced before unsynced bits become synced ones`() throws {
        let test = try FilesTestFolder()
        let (part, journal) = try helper.make(in: test, syncs: false)
        try journal.record(segments: [4])
        let contents = try #require(try helper.load(test, part))
        let log = EventLog()
        _ = try test.watching { call, name in
            if [.fdatasync, .renameat].contains(call) { log.append("\(call) \(name)") }
            return nil
        } _: {
            try helper.resume(contents, test, part)
        }
        #expect(log.events == ["fdatasync \(test.names.part)", "renameat ."])
    }

    @Test func `a journal that was replaced after it was read is not written into`() throws {
        let test = try FilesTestFolder()
        let (part, _) = try helper.make(in: test)
        let contents = try #require(try helper.load(test, part))
        rename(test.path(test.names.journal), test.path("kept"))
        try test.put("other", at: test.names.journal)
        let message = localFileMessage { _ = try helper.resume(contents, test, part) }
        #expect(message.hasPrefix("Could not open the journal"))
        #expect(try test.text(at: test.names.journal) == "other")
    }

    @Test(arguments: [1 << 62, 1 << 63 - 1] as [UInt64])
    func `a journal at the end of its generations is written anew, with the same bits`(generation: UInt64) throws {
        let test = try FilesTestFolder()
        let (part, journal) = try helper.make(in: test)
        try journal.record(segments: [4])
        try test.change(test.names.journal) { $0.forge(generation: generation, inPage: 1, id: journal.header.id) }
        let contents = try #require(try helper.load(test, part))
        #expect(Array(contents.bitmap.runs(of: true)) == [4..<5])
        let resumed = try #require(try helper.resume(contents, test, part))
        for segment in 5..<8 { try resumed.record(segments: [segment]) }
        let last = try #require(try helper.load(test, part))
        #expect(Array(last.bitmap.runs(of: true)) == [4..<8])
        #expect(last.damage == JournalDamage())
    }

    @Test func `what is left of a journal in the making goes when the journal is resumed or discarded`() throws {
        let test = try FilesTestFolder()
        let (part, _) = try helper.make(in: test)
        try test.put("half", at: test.names.newJournal)
        _ = try helper.resume(try #require(try helper.load(test, part)), test, part)
        #expect(try test.allNames == [test.names.journal, test.names.part])
        try test.put("half", at: test.names.newJournal)
        let log = EventLog()
        try test.watching { call, _ in
            if [.unlinkat, .fsync].contains(call) { log.append(call.rawValue) }
            return nil
        } _: {
            try Journal.discard(in: test.folder, names: test.names)
        }
        #expect(log.events == ["unlinkat", "unlinkat", "fsync"])
        #expect(try test.allNames == [test.names.part])
    }

    @Test func `a run without syncs makes no sync at all`() throws {
        let test = try FilesTestFolder()
        try test.failing([.fsync: EIO, .fdatasync: EIO]) {
            let (part, journal) = try helper.make(in: test, syncs: false)
            try journal.record(segments: [4])
            _ = try helper.resume(try #require(try helper.load(test, part)), test, part, syncs: false)
        }
    }
}

@Suite struct PublishedLeftoversTests {
    private let helper = JournalTests()

    @Test func `the journal of a file that has its name already is removed`() throws {
        let test = try FilesTestFolder()
        let (part, _) = try helper.make(in: test)
        try part.publish(as: test.names.final, replacing: false)
        try PublishedLeftovers.remove(in: test.folder, names: test.names)
        #expect(try test.allNames == [test.names.final])
    }

    @Test func `a second name of the finished file is removed with its journal`() throws {
        let test = try FilesTestFolder()
        _ = try helper.make(in: test)
        link(test.path(test.names.part), test.path(test.names.final))
        try PublishedLeftovers.remove(in: test.folder, names: test.names)
        #expect(try test.allNames == [test.names.final])
        #expect(try test.openPart().size() == 0)
    }

    @Test func `a download next to an older file is left alone`() throws {
        let test = try FilesTestFolder()
        _ = try helper.make(in: test)
        try test.put("old", at: test.names.final)
        try PublishedLeftovers.remove(in: test.folder, names: test.names)
        #expect(try test.allNames == [test.names.final, test.names.journal, test.names.part])
    }

    @Test func `without a final file nothing is removed`() throws {
        let test = try FilesTestFolder()
        _ = try helper.make(in: test)
        try PublishedLeftovers.remove(in: test.folder, names: test.names)
        #expect(try test.allNames == [test.names.journal, test.names.part])
    }
}
