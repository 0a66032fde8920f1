import Dispatch
import Foundation
import SegmentedDownload
import SegmentedDownloadCore
import Synchronization
import Testing

@Suite struct JournalKeeperTests {
    /// The promise that no bit is ahead of its data, in the order of system calls.
    @Test func `finished segments are taken, then data is synced, then bits are written and synced`() throws {
        let setup = try KeeperSetup()
        setup.finished.append([2, 3])
        try setup.logging {
            let keeper = setup.keeper()
            keeper.wrote(byteCount: 131_072)
            try keeper.finish()
        }
        #expect(setup.log.events == ["take", "sync data", "write bits", "sync bits"])
        #expect(try setup.recordedSegments() == [2..<4])
    }

    @Test func `a segment that is finished while the data is being synced waits for the next sync`() throws {
        let setup = try KeeperSetup()
        setup.finished.append([2])
        try setup.logging(onDataSync: { setup.finished.append([9]) }) {
            let keeper = setup.keeper(policy: .eager)
            keeper.start()
            keeper.wrote(byteCount: 1)
            setup.bitsSynced.wait()
            try #expect(setup.recordedSegments() == [2..<3])
            try keeper.finish()
        }
        #expect(setup.log.events.prefix(5) == ["take", "sync data", "write bits", "sync bits", "take"])
        #expect(try setup.recordedSegments() == [2..<3, 9..<10])
    }

    @Test func `the loop records by itself, again and again`() throws {
        let setup = try KeeperSetup()
        try setup.logging {
            let keeper = setup.keeper(policy: .eager)
            keeper.start()
            for segment in [1, 5, 20] {
                setup.finished.append([segment])
                keeper.wrote(byteCount: 1)
                setup.bitsSynced.wait()
                try #expect(setup.recordedSegments().contains(segment..<segment + 1))
            }
            try keeper.finish()
        }
    }

    @Test func `a failed data sync is reported once, and what it covered is never recorded`() throws {
        let setup = try KeeperSetup()
        setup.finished.append([2])
        try setup.logging(dataSyncError: EIO) {
            let keeper = setup.keeper(policy: .eager)
            keeper.start()
            keeper.wrote(byteCount: 1)
            setup.failed.wait()
        }
        // The disk works again: that proves nothing about the pages that it dropped.
        setup.finished.append([3])
        try setup.logging {
            for _ in 0..<2 {
                let message = localFileMessage { try setup.lastKeeper?.finish() }
                #expect(message.hasPrefix("The disk failed to take what was written to '\(setup.part.path)'; "))
            }
        }
        #expect(setup.log.events == ["take", "sync data", "failure"])
        #expect(try setup.recordedSegments() == [])
    }

    @Test func `a data sync that fails at the end is reported once and thrown`() throws {
        let setup = try KeeperSetup()
        setup.finished.append([2])
        let keeper = setup.keeper()
        try setup.logging(dataSyncError: ENOSPC) {
            for _ in 0..<2 { #expect(localFileMessage { try keeper.finish() }.contains("make room")) }
        }
        #expect(setup.log.events == ["take", "sync data", "failure"])
        #expect(try setup.recordedSegments() == [])
    }

    @Test func `a failed write of the journal is reported with the journal's path`() throws {
        let setup = try KeeperSetup()
        setup.finished.append([2])
        let keeper = setup.keeper()
        let message = localFileMessage {
            try setup.test.failing([.pwrite: EIO]) { try keeper.finish() }
        }
        #expect(message.hasPrefix("Could not write the journal '\(setup.journal.path)'; check the disk"))
    }

    @Test func `without syncs bits are set and nothing is synced, started early or paused`() throws {
        let setup = try KeeperSetup()
        setup.finished.append([2])
        try setup.logging {
            let keeper = setup.keeper(syncs: false, policy: .eager)
            keeper.wrote(byteCount: 1 << 40)
            #expect(!keeper.mustPause)
            keeper.start()
            try keeper.finish()
        }
        // How often segments are asked for depends on whether the loop had a turn before the end.
        #expect(setup.log.events.filter { $0 != "take" } == ["write bits"])
        #expect(try setup.recordedSegments() == [2..<3])
    }

    @Test func `a part file that another program has cut is a failure, and no bit of it is set`() throws {
        let setup = try KeeperSetup()
        setup.finished.append([2])
        let keeper = setup.keeper(policy: .eager)
        try setup.logging {
            keeper.start()
            try setup.part.truncate(to: 100_000)
            keeper.wrote(byteCount: 1)
            setup.failed.wait()
            #expect(localFileMessage { try keeper.finish() }.contains("was made shorter by another program"))
        }
        #expect(setup.part.isDamaged)
        #expect(!setup.log.events.contains("write bits"))
    }

    @Test func `a run that writes much gives the page cache back behind each sync, one that writes little does not`()
        throws
    {
        let setup = try KeeperSetup()
        var policy = JournalKeeper.Policy()
        policy.cachedByteCount = 1_000_000
        try setup.logging {
            let keeper = setup.keeper(policy: policy)
            keeper.wrote(byteCount: 1_000_000)
            try keeper.finish()
        }
        #expect(!setup.log.events.contains("drop cache"))
        try setup.logging {
            let keeper = setup.keeper(policy: policy)
            keeper.wrote(byteCount: 1_000_001)
            try keeper.finish()
        }
        #expect(setup.log.events.suffix(2) == ["sync data", "drop cache"])
    }

    @Test func `what is still to be read for a digest stays in the page cache`() throws {
        let setup = try KeeperSetup()
        var policy = JournalKeeper.Policy()
        policy.cachedByteCount = 0
        let limits = Mutex<[Int64]>([])
        for readByteCount in [0, 70_000, nil] as [Int64?] {
            let keeper = setup.keeper(policy: policy, readByteCount: { readByteCount })
            let intercept: SystemCall.Interceptor = { attempt, proceed throws(Errno) in
                if attempt.name == .dropCache, case .size(let limit) = attempt.arguments,
                    setup.test.name(ofDescriptor: attempt.fd) != nil
                {
                    limits.withLock { $0.append(limit) }
                }
                return try proceed()
            }
            try SystemCall.withInterceptor(intercept) {
                keeper.wrote(byteCount: 1)
                try keeper.finish()
            }
        }
        // To the system 0 means all.
        #expect(limits.withLock(\.self) == [70_000, 0])
    }

    @Test func `without a journal data is synced and no bit is written`() throws {
        let setup = try KeeperSetup()
        setup.finished.append([2])
        try setup.logging {
            let keeper = setup.keeper(hasJournal: false)
            keeper.start()
            try keeper.finish()
        }
        #expect(setup.log.events == ["take", "sync data"])
    }

    @Test func `the end comes once, whoever calls it and however often`() throws {
        let setup = try KeeperSetup()
        try setup.logging {
            let keeper = setup.keeper()
            keeper.start()
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                #expect(throws: Never.self) { try keeper.finish() }
            }
        }
        #expect(setup.log.events == ["take", "sync data"])
    }

    @Test func `too much unsynced pauses until a sync has made room`() throws {
        let setup = try KeeperSetup()
        let mayLetGo = DispatchSemaphore(value: 0)
        try setup.logging(onDataSync: { mayLetGo.wait() }) {
            let keeper = setup.keeper(policy: .small)
            keeper.start()
            keeper.wrote(byteCount: 1_000_000)
            #expect(!keeper.mustPause)
            keeper.wrote(byteCount: 100_000)
            #expect(keeper.mustPause)
            #expect(!setup.log.events.contains("room"))
            for _ in 0..<8 { mayLetGo.signal() }
            setup.room.wait()
            #expect(!keeper.mustPause)
            try keeper.finish()
        }
        let events = setup.log.events
        let firstRoom = try #require(events.firstIndex(of: "room"))
        #expect(events[..<firstRoom].contains("sync data"))
        #expect(events.filter { $0 == "room" }.count == 1)
    }

    @Test func `nobody who was told to pause is forgotten`() throws {
        let setup = try KeeperSetup()
        let keeper = setup.keeper(policy: .small)
        keeper.start()
        for _ in 0..<200 {
            keeper.wrote(byteCount: 600_000)
            if keeper.mustPause { setup.room.wait() }
        }
        try keeper.finish()
        #expect(!keeper.mustPause)
    }

    @Test func `write-back starts for each step of bytes written`() throws {
        let setup = try KeeperSetup()
        var policy = JournalKeeper.Policy()
        policy.writeBackByteCount = 1000
        policy.minimumInterval = .seconds(3600)
        try setup.logging {
            let keeper = setup.keeper(policy: policy)
            keeper.start()
            for _ in 0..<3 {
                keeper.wrote(byteCount: 999)
                keeper.wrote(byteCount: 1)
                setup.writeBackStarted.wait()
            }
            try keeper.finish()
        }
        #expect(
            setup.log.events == ["start write-back", "start write-back", "start write-back", "take", "sync data"]
        )
    }

    @Test func `a disk that fails at write-back counts as failed`() throws {
        let setup = try KeeperSetup()
        var policy = JournalKeeper.Policy()
        policy.writeBackByteCount = 1
        setup.finished.append([2])
        setup.test.failing([.startWriteBack: EIO]) {
            let keeper = setup.keeper(policy: policy)
            keeper.start()
            keeper.wrote(byteCount: 1)
            setup.failed.wait()
            #expect(localFileMessage { try keeper.finish() }.contains("check the disk"))
        }
        #expect(try setup.recordedSegments() == [])
    }
}

extension JournalKeeper.Policy {
    /// Syncs as soon as anything was written.
    fileprivate static var eager: Self {
        var policy = Self()
        policy.minimumInterval = .zero
        return policy
    }

    /// A million bytes may be unsynced; too few to measure the disk by.
    fileprivate static var small: Self {
        var policy = Self()
        policy.minimumCap = 1_000_000
        policy.minimumInterval = .seconds(3600)
        return policy
    }
}

/// A part file, its journal, and a log of what the keeper does with them.
private final class KeeperSetup: Sendable {
    let test: FilesTestFolder
    let part: PartFile
    let journal: Journal
    let log = EventLog()
    let finished = FinishedSegments()
    let bitsSynced = DispatchSemaphore(value: 0)
    let writeBackStarted = DispatchSemaphore(value: 0)
    let room = DispatchSemaphore(value: 0)
    let failed = DispatchSemaphore(value: 0)
    private let madeKeeper = Mutex<JournalKeeper?>(nil)

    init() throws {
        test = try FilesTestFolder()
        (part, journal) = try JournalTests().make(in: test)
    }

    var lastKeeper: JournalKeeper? { madeKeeper.withLock(\.self) }

    func keeper(
        syncs: Bool = true,
        policy: JournalKeeper.Policy = .init(),
        hasJournal: Bool = true,
        readByteCount: @escaping @Sendable () -> Int64? = { nil }
    ) -> JournalKeeper {
        let (log, finished, room, failed) = (log, finished, room, failed)
        let keeper = JournalKeeper(
            partFile: part,
            journal: hasJournal ? journal : nil,
            syncs: syncs,
            policy: policy,
            takeFinished: {
                log.append("take")
                return finished.take()
            },
            readByteCount: readByteCount,
            onRoom: {
                log.append("room")
                room.signal()
            },
            onFailure: { _ in
                log.append("failure")
                failed.signal()
            }
        )
        madeKeeper.withLock { $0 = keeper }
        return keeper
    }

    /// Runs a body and logs the system calls on the two files meanwhile.
    func logging(
        dataSyncError: Int32? = nil,
        onDataSync: @escaping @Sendable () -> Void = {},
        _ body: () throws -> Void
    ) throws {
        try test.watching { call, file in
            switch (call, file) {
            case (.fdatasync, self.test.names.part):
                self.log.append("sync data")
                onDataSync()
                return dataSyncError.map(Errno.init(rawValue:))
            case (.pwrite, self.test.names.journal): self.log.append("write bits")
            case (.fdatasync, self.test.names.journal):
                self.log.append("sync bits")
                self.bitsSynced.signal()
            case (.dropCache, self.test.names.part): self.log.append("drop cache")
            case (.startWriteBack, self.test.names.part):
                self.log.append("start write-back")
                self.writeBackStarted.signal()
            default: break
            }
            return nil
        } _: {
            try body()
        }
    }

    func recordedSegments() throws -> [Range<Int>] {
        try JournalTests().load(test, part).map { Array($0.bitmap.runs(of: true)) } ?? []
    }
}

private final class FinishedSegments: Sendable {
    private let segments = Mutex<[Int]>([])

    func append(_ more: [Int]) {
        segments.withLock { $0 += more }
    }

    func take() -> [Int] {
        segments.withLock { segments in
            defer { segments = [] }
            return segments
        }
    }
}
