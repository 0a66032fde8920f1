import Foundation
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

/// How much of what came survives an end: the server sends a known number of bytes over each of four connections, and
/// then nothing.
@Suite struct HeldBytesTests {
    private static let jobs: Int64 = 4
    private static let segmentSize = 64 * KiB
    private static let gatherBufferSize = 128 * KiB
    /// What each connection's 4 MiB are cut down to: whole gather buffers, and three segments in the next one.
    private static let sentPerConnection = 3 * MiB + 3 * segmentSize
    private static let sent = jobs * sentPerConnection

    private let content = PatternContent(seed: 77, length: jobs * 4 * MiB)

    @Test("Killed, it has lost only unfinished segments and buffers; a rerun with other sizes gets just the rest")
    func killed() throws {
        try run { segdl, child, server in
            let lost = Self.jobs * (Self.segmentSize + Self.gatherBufferSize)
            try segdl.waitForJournal(of: "file", finishedByteCount: Self.sent - lost)
            child.kill(SIGKILL)
            #expect(try child.wait().end == .signal(SIGKILL))
            try checkRerun(segdl, server, ["-s", "1M", "-j", "9"])
        }
    }

    @Test("Stopped by a signal, it has lost only unfinished segments", arguments: [SIGINT, SIGTERM, SIGHUP])
    func stopped(signal: Int32) throws {
        try run { segdl, child, server in
            let whole = Self.jobs * (Self.sentPerConnection / Self.gatherBufferSize * Self.gatherBufferSize)
            // From here on no more than a part of a gather buffer is under way on each connection.
            try segdl.waitForJournal(of: "file", finishedByteCount: whole)
            child.kill(signal)
            #expect(try child.wait().end == .signal(signal))
            let held = Complement(of: try #require(segdl.journal(of: "file"))).finishedByteCount
            #expect(held >= Self.sent - Self.jobs * Self.segmentSize)
            try checkRerun(segdl, server, ["-j", "2"])
        }
    }

    private func run(_ body: (SegdlBinary, ChildProcess, FaultServer) throws -> Void) throws {
        let route = Route(content).on(.ranged) { $0.stallAfter = Self.sentPerConnection }
        try FaultServer.run(["/file": route]) { server in
            let segdl = try SegdlBinary()
            let options = ["-q", "-s", "64K", "-j", "\(Self.jobs)", "--stall-timeout", "600"]
            let child = try segdl.start(options + [server.url("/file")])
            try server.waitUntil { $0.stalledCount == Self.jobs }
            #expect(server.log.bytesSent == Self.sent)
            try body(segdl, child, server)
        }
    }

    private func checkRerun(_ segdl: SegdlBinary, _ server: FaultServer, _ options: [String]) throws {
        let complement = Complement(of: try #require(segdl.journal(of: "file")))
        for range in complement.finished {
            #expect(try content.difference(fromFileAt: segdl.folder.path("file.segdl.part"), in: range) == nil)
        }
        server.setRoute("/file", Route(content))
        let before = server.requests.count
        #expect(try segdl.run(["-q"] + options + [server.url("/file")]).end == .exit(0))
        try complement.expect(askedByGets: server.requests.dropFirst(before), isComplete: true)
        #expect(try content.matches(fileAt: segdl.folder.path("file")))
        #expect(try segdl.folder.names() == ["file"])
    }
}
