import Foundation
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

/// The order in which the real program brings bytes and bits to the disk, and what it makes of a device that was lost.
@Suite(.serialized) struct PowerLossTests {
    private static let segmentSize = 64 * KiB
    private let content = PatternContent(seed: 471, length: 8 * MiB + 99)

    @Test(
        "strace: each byte of a segment was written before a sync of the part file that ended before its bit was written",
        .enabled(if: Strace.missing == nil, "\(Strace.missing ?? "")")
    )
    func order() throws {
        try FaultServer.run(["/file": Route(content) { $0.bytesPerSecond = 3_000_000 }]) { server in
            let segdl = try SegdlBinary()
            let log = try TemporaryFolder()
            let words = SystemCallTrace.command(to: log.path("trace"))
            let result = try segdl.start(behind: words, ["-q", "-s", "64K", "-j", "4", server.url("/file")]).wait()
            #expect(result.end == .exit(0), "\(result.standardError)")
            let trace = try SystemCallTrace(path: log.path("trace"))
            try expectBitsBehindData(trace)
            try expectEnding(trace)
        }
    }

    private func expectBitsBehindData(_ trace: SystemCallTrace) throws {
        let plan = SegmentPlan(length: content.length, segmentSize: Self.segmentSize)
        let data = trace.calls.filter { $0.name == "pwrite64" && $0.isOn(".segdl.part") }
            .compactMap { call in call.writtenRange.map { (range: $0, end: call.end) } }
        let syncs = trace.calls.filter { $0.name == "fdatasync" && $0.isOn(".segdl.part") && $0.result == 0 }
        let bits = trace.calls.filter { $0.name == "pwrite64" && $0.isOn(".segdl.journal") }
        #expect(bits.count > 2, "too few bits were set before the end: the test proves nothing")
        var checked: Set<Int> = []
        for call in bits {
            for segment in Self.segments(inPage: call.bytes) where checked.insert(segment).inserted {
                let range = plan.byteRange(ofSegments: segment..<segment + 1)
                let writes = data.filter { $0.range.overlaps(range) }
                #expect(!writes.isEmpty, "the bit of segment \(segment) is set, and nothing was written")
                let written = writes.map(\.end).max() ?? .max
                let isSynced = syncs.contains { $0.start > written && $0.end < call.start }
                #expect(isSynced, "the bit of segment \(segment) is ahead of its data")
            }
            let sync = trace.calls.first { $0.isOn(".segdl.journal") && $0.name == "fdatasync" && $0.start > call.end }
            #expect(sync?.result == 0, "bits that are not synced")
        }
        #expect(checked.count == plan.segmentCount)
    }

    /// The segments whose bits a page holds; docs/journal-format.md. One group is enough for this file.
    private static func segments(inPage page: [UInt8]) -> [Int] {
        let bits = page.prefix(512).dropFirst(16)
        return bits.enumerated().flatMap { index, byte in
            (0..<8).filter { byte & (1 << $0) != 0 }.map { index * 8 + $0 }
        }
    }

    /// All data synced, then the rename, then the folder, and only then the journal goes.
    private func expectEnding(_ trace: SystemCallTrace) throws {
        let calls = trace.calls
        let lastWrite = try #require(calls.last { $0.name == "pwrite64" && $0.isOn(".segdl.part") })
        let lastSync = try #require(calls.last { $0.name == "fdatasync" && $0.isOn(".segdl.part") })
        let rename = try #require(calls.last { $0.name.hasPrefix("renameat") && $0.result == 0 })
        let folder = try #require(calls.last { $0.name == "fsync" && $0.result == 0 })
        let removal = try #require(calls.last { $0.name == "unlinkat" && $0.result == 0 })
        let order = [lastWrite, lastSync, rename, folder, removal]
        for (one, next) in zip(order, order.dropFirst()) {
            #expect(one.end < next.start, "\(next.name) came before \(one.name)")
        }
    }

    private static let ext4 = MountedFileSystem.missingExt4

    @Test(
        "An ext4 that is shut down in the middle: 3, and a rerun after the remount asks for nothing that the journal has",
        .enabled(if: ext4 == nil, "\(ext4 ?? "")"),
        arguments: [0, 1, 2] as [UInt32]
    )
    func lostDevice(flushing: UInt32) throws {
        let disk = try MountedFileSystem(.ext4(byteCount: 32 << 20))
        var random = SeededRandom(seed: 472 + UInt64(flushing))
        var kept: Int64 = 0
        for number in 1...TortureMode.count(2, long: 20) {
            let content = PatternContent(seed: random.next(), length: 8 * MiB + 99)
            let isSyncing = number % 5 != 0
            try FaultServer.run(["/file": Route(content) { $0.bytesPerSecond = 2_000_000 }]) { server in
                let segdl = try SegdlBinary(in: disk.path)
                _ = try ChildProcess.run("sync", ["-f", disk.path])
                let options = ["-q", "-s", "64K", "-j", "4"] + (isSyncing ? [] : ["--no-sync"])
                let child = try segdl.start(options + [server.url("/file")])
                let moment = Int64.random(in: 100_000..<7_000_000, using: &random)
                try server.waitUntil { $0.bytesSent > moment }
                try disk.shutDown(flushing: flushing)
                let result = try child.wait()
                #expect(result.end == .exit(3), "\(result.standardError)")
                try disk.remount(number: number)
                kept += try expectRight(segdl, content, server, isSyncing: isSyncing)
            }
        }
        TortureMode.report(TortureMode.count(2, long: 20), "file systems shut down")
        #expect(kept > 0, "no bit was ever left: the test proves nothing")
    }

    private func expectRight(
        _ segdl: SegdlBinary,
        _ content: PatternContent,
        _ server: FaultServer,
        isSyncing: Bool
    ) throws -> Int64 {
        let complement = segdl.journal(of: "file").map(Complement.init)
        let isJournalOfPart = try segdl.folder.names().contains("file.segdl.part")
        if isSyncing, isJournalOfPart {
            for range in complement?.finished ?? [] {
                let wrong = try content.difference(fromFileAt: segdl.folder.path("file.segdl.part"), in: range)
                #expect(wrong == nil, "a bit is ahead of its data: \(wrong ?? "")")
            }
        }
        server.setRoute("/file", Route(content))
        let before = server.requests.count
        let result = try segdl.run(["-q", "-s", "64K", server.url("/file")])
        #expect(result.end == .exit(0), "\(result.standardError)")
        #expect(try content.difference(fromFileAt: segdl.folder.path("file")) == nil)
        #expect(try segdl.folder.names() == ["file"])
        guard isSyncing, isJournalOfPart, let complement else { return 0 }
        try complement.expect(askedByGets: server.requests.dropFirst(before), isComplete: true)
        return complement.finishedByteCount
    }
}
