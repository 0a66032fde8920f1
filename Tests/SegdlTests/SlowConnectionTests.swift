import Foundation
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

@Suite struct SlowConnectionTests {
    @Test(
        "Waiting costs no processor time: for bytes, for a retry, for a host that wants to be left alone",
        .enabled(if: Strace.missing == nil, "\(Strace.missing ?? "")"),
        arguments: 0..<3
    )
    func idle(kind: Int) throws {
        let content = PatternContent(seed: 60, length: 4 * MiB)
        let route = Route(content).on(.ranged) {
            switch kind {
            case 0: $0.stallAfter = 100_000
            case 1: $0.answer = .reset
            default: $0.fail(503, retryAfter: "300")
            }
        }
        try FaultServer.run(["/file": route]) { server in
            let segdl = try SegdlBinary()
            let options = ["-q", "--max-time", "4", "--stall-timeout", "600", "--retry-wait", "300"]
            let trace = segdl.folder.path("trace")
            let words = ["strace", "-f", "-o", trace, "-e", "trace=/poll"]
            let result = try segdl.start(behind: words, options + [server.url("/file")]).wait()
            #expect(result.end == .exit(4), "\(result.standardError)")
            // Two workers look four times a second; one that spins, a hundred thousand times, on a busy machine still many.
            #expect(try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n").count < 500)
            // A loop that spins takes all four seconds, with two workers eight.
            #expect(result.processorTime < .seconds(1.5))
        }
    }

    /// Behind the first write of 128 KiB a whole segment and a little wait for the next.
    @Test("What a connection brought that then became slow is not lost with the process")
    func killed() throws {
        let content = PatternContent(seed: 92, length: 2 * MiB)
        try FaultServer.run(["/file": Route(content).on(.ranged) { $0.stallAfter = 200_000 }]) { server in
            let segdl = try SegdlBinary()
            let child = try segdl.start(["-q", "-s", "64K", "--stall-timeout", "600", server.url("/file")])
            // Three whole segments of each of eight connections.
            try segdl.waitForJournal(of: "file", finishedByteCount: 24 * 64 * KiB)
            child.kill(SIGKILL)
            _ = try child.wait()
            server.setRoute("/file", Route(content))
            let before = server.requests.count
            #expect(try segdl.run(["-q", server.url("/file")]).end == .exit(0))
            #expect(try content.matches(fileAt: segdl.folder.path("file")))
            let asked = server.requests.dropFirst(before).compactMap(\.range)
            let askedByteCount = asked.reduce(0) { $0 + $1.upperBound - $1.lowerBound }
            #expect(askedByteCount <= content.length - 24 * 64 * KiB)
        }
    }
}
