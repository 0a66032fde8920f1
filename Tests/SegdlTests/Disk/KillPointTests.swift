import Foundation
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

/// SIGKILL at exact points, by strace, and in the first and last moments. NAME is never half a file, what stood there
/// is whole until the rename, and from each state a rerun comes to the end.
@Suite(.serialized) struct KillPointTests {
    private static let content = PatternContent(seed: 401, length: 4 * MiB + 77)
    private static let old = PatternContent(seed: 402, length: 1 * MiB)

    /// A system call before which the program is killed, and which of a thread's calls of this name it is.
    struct Point: Sendable, CustomTestStringConvertible {
        let call: String
        let number: Int
        let what: String

        var testDescription: String { "\(call) \(number): \(what)" }
        /// The last rename replaces only with `--overwrite`; the journal's is the one before.
        func words(isOverwriting: Bool) -> [String] {
            let isRename = call == "renameat2" && isOverwriting
            return Strace.injecting("signal=KILL:when=\(isRename ? 2 : number)", into: isRename ? "renameat" : call)
        }

        /// How many calls there are then depends on the time that they take.
        var isAmidTransfer: Bool { call == "fdatasync" && number > 2 || call == "pwrite64" && number > 3 }
    }

    /// `openat`, `read` and `close` are everywhere in a program's start; what they would add is killed by the moments below.
    private static let points =
        [
            Point(call: "flock", number: 1, what: "the part file is made, and not locked"),
            Point(call: "pwrite64", number: 1, what: "a new journal without bytes; no data; no bits"),
            Point(call: "pwrite64", number: 2, what: "half a new journal; data without bits"),
            Point(call: "pwrite64", number: 3, what: "a new journal, one copy; more data"),
            Point(call: "fsync", number: 1, what: "the new journal is written"),
            Point(call: "renameat", number: 1, what: "the new journal is synced"),
            Point(call: "fsync", number: 2, what: "the journal has its name"),
            Point(call: "fallocate", number: 1, what: "before preallocation"),
            Point(call: "ftruncate", number: 1, what: "preallocated"),
            Point(call: "renameat2", number: 1, what: "complete, not renamed"),
            Point(call: "fsync", number: 3, what: "renamed"),
            Point(call: "unlinkat", number: 1, what: "locked, nothing else"),
            Point(call: "unlinkat", number: 2, what: "NAME is there, and the journal too"),
        ]
        + (1...TortureMode.count(4, long: 12)).map { Point(call: "fdatasync", number: $0, what: "before a sync") }
        + (4..<TortureMode.count(4, long: 20)).map { Point(call: "pwrite64", number: $0, what: "amid the transfer") }

    @Test(
        "Killed right before a system call: nothing is half, and a rerun ends well",
        .enabled(if: Strace.missing == nil, "\(Strace.missing ?? "")"),
        arguments: points,
        [false, true]
    )
    func killed(at point: Point, isOverwriting: Bool) throws {
        let route = Route(Self.content) { $0.bytesPerSecond = point.isAmidTransfer ? 1_000_000 : nil }
        try FaultServer.run(["/file": route]) { server in
            let segdl = try SegdlBinary()
            let state = KillInvariants(segdl: segdl, content: Self.content, old: isOverwriting ? Self.old : nil)
            try state.prepare()
            let words = point.words(isOverwriting: isOverwriting)
            let options = ["-q", "-s", "64K", "-j", "4"] + (isOverwriting ? ["--overwrite"] : [])
            let result = try segdl.start(behind: words, options + [server.url("/file")]).wait()
            #expect(result.end == .signal(SIGKILL) || point.isAmidTransfer, "not reached: \(result.standardError)")
            if result.end == .signal(SIGKILL) { TortureMode.report(1, "kills before a chosen system call") }
            try state.expectWhole("\(point.testDescription)")
            server.setRoute("/file", Route(Self.content))
            try state.expectCompletion(server.url("/file"), "\(point.testDescription)")
        }
    }

    @Test("Killed in the first 20 ms, it leaves nothing that a rerun does not complete")
    func firstMoments() throws {
        let count = TortureMode.count(10, long: 75)
        var random = SeededRandom(seed: 403)
        try FaultServer.run(["/file": Route(Self.content)]) { server in
            for number in 0..<count {
                let segdl = try SegdlBinary()
                let isOverwriting = number % 2 == 1
                let state = KillInvariants(segdl: segdl, content: Self.content, old: isOverwriting ? Self.old : nil)
                try state.prepare()
                let child = try segdl.start(
                    ["-q", "-s", "64K"] + (isOverwriting ? ["--overwrite"] : []) + [server.url("/file")]
                )
                // Spread evenly, whatever the seed.
                usleep(UInt32(20_000 * number / count) + UInt32.random(in: 0..<2000, using: &random))
                child.kill(SIGKILL)
                try child.wait()
                try state.expectWhole("first moments, \(number)")
                try state.expectCompletion(server.url("/file"), "first moments, \(number)")
            }
        }
        TortureMode.report(count, "kills in the first 20 ms")
    }

    @Test("Killed in the last 20 ms, around sync and rename, it leaves the whole file or one to go on with")
    func lastMoments() throws {
        let count = TortureMode.count(10, long: 75)
        var random = SeededRandom(seed: 404)
        for number in 0..<count {
            let last = Route(Self.content).on(.covering(Self.content.length - 1)) { behaviour in
                behaviour.stallAfter = 200_000
            }
            try FaultServer.run(["/file": last]) { server in
                let segdl = try SegdlBinary()
                let isOverwriting = number % 2 == 1
                let state = KillInvariants(segdl: segdl, content: Self.content, old: isOverwriting ? Self.old : nil)
                try state.prepare()
                let options = ["-q", "-s", "64K", "-j", "4", "--stall-timeout", "600"]
                let child = try segdl.start(
                    options + (isOverwriting ? ["--overwrite"] : []) + [server.url("/file")]
                )
                try server.waitUntil { $0.stalledCount == 1 && $0.requestsUnderWay == 1 }
                server.setRoute("/file", Route(Self.content))
                try server.release()
                usleep(UInt32(20_000 * number / count) + UInt32.random(in: 0..<2000, using: &random))
                child.kill(SIGKILL)
                try child.wait()
                try state.expectWhole("last moments, \(number)")
                try state.expectCompletion(server.url("/file"), "last moments, \(number)")
            }
        }
        TortureMode.report(count, "kills in the last 20 ms")
    }
}
