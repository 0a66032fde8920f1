import Foundation
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

@Suite(.serialized) struct KillTests {
    private static let segmentSize = 64 * KiB
    private static let killCount = TortureMode.count(50, long: 300)

    @Test("Killed at any moment and run again, it asks for the complement of its journal, and no byte is wrong")
    func storm() throws {
        var random = SeededRandom(seed: 20_261_130)
        var kills = 0
        var kept: Int64 = 0
        while kills < Self.killCount {
            let content = PatternContent(seed: random.next(), length: 8 * MiB + 12_345)
            let segdl = try SegdlBinary()
            try FaultServer.run(["/file": Route(content) { $0.bytesPerSecond = 1_000_000 }]) { server in
                var isComplete = false
                while !isComplete {
                    let before = server.requests.count
                    let journal = segdl.journal(of: "file")
                    let jobs = [1, 4, 8].randomElement(using: &random) ?? 4
                    let child = try segdl.start(["-q", "-s", "64K", "-j", "\(jobs)", server.url("/file")])
                    if kills < Self.killCount {
                        killInTime(child, &random)
                        kills += 1
                    }
                    isComplete = try child.wait().end == .exit(0)
                    if let journal {
                        let asked = server.requests.dropFirst(before)
                        try Complement(of: journal).expect(askedByGets: asked, isComplete: isComplete)
                    }
                    // The kill may have come after the rename: NAME is whole then, and what is left beside it goes.
                    if try !isComplete && segdl.folder.names().contains("file") {
                        isComplete = true
                        #expect(try content.matches(fileAt: segdl.folder.path("file")))
                        #expect(try segdl.run(["-q", server.url("/file")]).end == .exit(0))
                    }
                    if isComplete {
                        #expect(try content.matches(fileAt: segdl.folder.path("file")))
                        #expect(try segdl.folder.names() == ["file"])
                    } else {
                        kept += try checkHeld(segdl, content)
                    }
                }
            }
        }
        TortureMode.report(kills, "kills at random moments")
        #expect(kept > 0, "no kill left a finished segment: the storm proves nothing")
    }

    /// A random moment: in the first 20 ms, or in the next 800.
    private func killInTime(_ child: ChildProcess, _ random: inout SeededRandom) {
        let longest: UInt32 = Int.random(in: 0..<4, using: &random) == 0 ? 20_000 : 800_000
        usleep(UInt32.random(in: 0...longest, using: &random))
        child.kill(SIGKILL)
    }

    /// What the journal calls finished is in the part file.
    private func checkHeld(_ segdl: SegdlBinary, _ content: PatternContent) throws -> Int64 {
        guard let journal = segdl.journal(of: "file") else { return 0 }
        let complement = Complement(of: journal)
        for range in complement.finished {
            let wrong = try content.difference(fromFileAt: segdl.folder.path("file.segdl.part"), in: range)
            #expect(wrong == nil, "\(wrong ?? "")")
        }
        return complement.finishedByteCount
    }

    @Test("A signal leaves a journal with everything that came, and ends the process by that signal")
    func signals() throws {
        let content = PatternContent(seed: 5, length: 8 * MiB)
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            let segdl = try SegdlBinary()
            try FaultServer.run(["/file": Route(content) { $0.bytesPerSecond = 2_000_000 }]) { server in
                let child = try segdl.start(["-s", "64K", "-j", "4", server.url("/file")])
                try server.waitUntil { $0.bytesSent > 4_000_000 }
                child.kill(signal)
                let result = try child.wait()
                #expect(result.end == .signal(signal))
                #expect(result.standardOutput.isEmpty)
                let last = result.standardError.split(separator: "\n").last ?? ""
                #expect(last.hasPrefix("Stopped at ") && last.hasSuffix("run the same command to go on."))
                let journal = try #require(segdl.journal(of: "file"))
                // What the kernels' buffers and the unfinished segments may hold back.
                #expect(journal.finishedByteCount > 500_000)
                server.setRoute("/file", Route(content))
                let rerun = try segdl.run(["-q", server.url("/file")])
                #expect(rerun.end == .exit(0))
                #expect(try content.matches(fileAt: segdl.folder.path("file")))
            }
        }
    }
}
