import Foundation
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

@Suite struct SignalTests {
    private let content = PatternContent(seed: 78, length: 1 * MiB)

    @Test("What was ignored at the start stays ignored, as nohup wants it", arguments: ["HUP", "INT", "TERM"])
    func ignored(name: String) throws {
        let signal = ["HUP": SIGHUP, "INT": SIGINT, "TERM": SIGTERM][name] ?? SIGINT
        try FaultServer.run(["/file": Route(content) { $0.stallAfter = 1000 }]) { server in
            let segdl = try SegdlBinary()
            let child = try segdl.start(after: "trap '' \(name)", ["-q", "-j", "1", server.url("/file")])
            try server.waitUntil { $0.stalledCount > 0 }
            child.kill(signal)
            server.setRoute("/file", Route(content))
            try server.release()
            #expect(try child.wait().end == .exit(0))
            #expect(try content.matches(fileAt: segdl.folder.path("file")))
        }
    }

    @Test("A server that never answers does not hold up a signal", arguments: [SIGINT, SIGTERM, SIGHUP])
    func blackHole(signal: Int32) throws {
        // A HEAD is waited for 5 s only, after which everything is looked at anyhow: the GET it is.
        let route = Route(content) { $0.answer = .silence }.on(.heads) { ($0.answer, $0.status) = (.http, 405) }
        try FaultServer.run(["/file": route]) { server in
            let segdl = try SegdlBinary()
            let child = try segdl.start(["--stall-timeout", "600", server.url("/file")])
            try server.waitUntil { log in log.requests.contains { $0.method == "GET" } }
            child.kill(signal)
            // Promised are 2 s; without the signal it would be 600.
            let result = try child.wait(timeout: .seconds(20))
            #expect(result.end == .signal(signal))
            #expect(result.standardError.hasSuffix("Stopped; run the same command to go on.\n"))
            #expect(try segdl.folder.names().isEmpty)
        }
    }

    @Test("A machine that was asleep while the server hung up goes on where it was", arguments: ["1", "4"])
    func suspended(jobs: String) throws {
        let big = PatternContent(seed: 79, length: 4 * MiB)
        try FaultServer.run(["/file": Route(big).on(.gets) { $0.stallAfter = 400_000 }]) { server in
            let segdl = try SegdlBinary()
            let child = try segdl.start(["-j", jobs, "--segment-size", "64K", server.url("/file")])
            try segdl.waitForJournal(of: "file", finishedByteCount: 6 * 64 * KiB)
            child.kill(SIGSTOP)
            server.setRoute("/file", Route(big))
            server.closeConnections()
            _ = try server.settledLog()
            let before = server.requests.count
            child.kill(SIGCONT)
            #expect(try child.wait().end == .exit(0))
            #expect(try big.matches(fileAt: segdl.folder.path("file")))
            let again = server.requests.dropFirst(before).compactMap(\.range)
            #expect(again.reduce(0) { $0 + $1.upperBound - $1.lowerBound } < big.length)
        }
    }

    @Test(
        "A second SIGINT ends it at once, however long the orderly end takes",
        .enabled(if: Strace.missing == nil, "\(Strace.missing ?? "")")
    )
    func second() throws {
        try FaultServer.run(["/file": Route(content) { $0.stallAfter = 300_000 }]) { server in
            let segdl = try SegdlBinary()
            // A disk that takes longer to sync what has come than one signal leaves. strace outlasts segdl by as much, and
            // holds its streams.
            let slow = Strace.injecting("delay_enter=10s", into: "fdatasync", isDetached: true)
            let options = ["-j", "1", "-s", "64K", "--stall-timeout", "600"]
            let child = try segdl.start(behind: slow, options + [server.url("/file")])
            try server.waitUntil { $0.stalledCount > 0 }
            child.kill(SIGINT)
            // The first one has been heard.
            try server.waitUntil { $0.requestsUnderWay == 0 }
            child.kill(SIGINT)
            let result = try child.wait()
            #expect(result.end == .signal(SIGINT))
            // What is said after the two seconds that a single one leaves.
            #expect(!result.standardError.contains("Stopped"), "\(result.standardError)")
        }
    }

    @Test("A signal ends a run of several URLs: those without a connection are not begun")
    func severalURLs() throws {
        let routes = ["/first": Route(content) { $0.stallAfter = 1000 }, "/second": Route(content)]
        try FaultServer.run(routes) { server in
            let segdl = try SegdlBinary()
            let child = try segdl.start(["-j", "1", server.url("/first"), server.url("/second")])
            try server.waitUntil { $0.stalledCount > 0 }
            child.kill(SIGINT)
            let result = try child.wait()
            #expect(result.end == .signal(SIGINT))
            let sentence = "Stopped: 0 of 2 files are complete; run the same command to go on.\n"
            #expect(result.standardError.hasSuffix(sentence), "\(result.standardError)")
            #expect(server.log.requests(for: "/second").isEmpty)
        }
    }
}
