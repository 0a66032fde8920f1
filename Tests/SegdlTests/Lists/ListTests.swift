import Foundation
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

/// Lists of URLs, with the real program.
@Suite struct ListTests {
    private let content = PatternContent(seed: 91, length: 300_000)

    @Test("1,000 small files: one request each and no HEAD, few connections; a rerun fetches no file again")
    func thousand() throws {
        guard NginxServer.missing == nil else { return }
        let nginx = try NginxServer()
        defer { nginx.stop() }
        let contents = try (0..<1000).map { try nginx.makeFile("f\($0)", length: 20_000, seed: UInt64($0)) }
        let segdl = try SegdlBinary()
        let list = try segdl.writeList((0..<1000).map { nginx.url("/f\($0)") })
        let first = try segdl.run(["-j", "8", "--no-sync", "-i", list])
        #expect(first.end == .exit(0), "\(first.standardError.suffix(1000))")
        #expect(first.standardError.split(separator: "\n").last?.hasPrefix("1000 files, 19.1 MiB in ") == true)
        for (number, content) in contents.enumerated() {
            #expect(try content.matches(fileAt: segdl.folder.path("f\(number)")))
        }
        let log = try nginx.accessLog { $0.count >= 1000 }
        #expect(log.count == 1000 && log.allSatisfy { $0.method == "GET" })
        // Each closes its connection where another file's bytes are refused; none does so here.
        #expect(Set(log.map(\.connection)).count <= 16)

        let again = try segdl.run(["-j", "8", "-i", list])
        #expect(again.end == .exit(0))
        #expect(again.standardError.split(separator: "\n").last?.hasSuffix(", here already: 1000") == true)
        // HEAD and the sample blocks: the start, the end and two places.
        #expect(try nginx.accessLog { $0.count >= 2000 }.count <= 6000)
    }

    @Test("What fails stops nothing else, and the status is that of the first in the list, whatever failed first")
    func mixedFailures() throws {
        let routes = [
            "/good": Route(content), "/slow": Route(content) { ($0.stallAfter, $0.status) = (0, 404) },
            "/last": Route(content),
        ]
        try FaultServer.run(routes) { server in
            let segdl = try SegdlBinary()
            let bad = String(repeating: "0", count: 64)
            let list = try segdl.writeList([
                server.url("/good"), "  out=first", server.url("/slow"), "no-scheme", server.url("/good"),
                "  checksum=sha256:\(bad)", "  out=unverified", server.url("/good"), "  out=first",
                server.url("/last"), "  split=4", server.url("/last"), "  dir=sub",
            ])
            // The slow one stays silent until all others have ended.
            let child = try segdl.start(["--stall-timeout", "100", "-i", list])
            try server.waitUntil { log in
                log.stalledCount == 1 && log.requests(for: "/last").contains { $0.end == .complete }
            }
            try server.release()
            let result = try child.wait()
            #expect(result.end == .exit(8), "\(result.standardError)")
            let names = try segdl.folder.names().filter { !$0.contains(".segdl.") }
            #expect(names == ["first", "list", "sub"])
            #expect(try content.matches(fileAt: segdl.folder.path("first")))
            #expect(try content.matches(fileAt: segdl.folder.path("sub/last")))
            for sentence in [
                "Line 4 of '\(list)': 'no-scheme' is not a URL",
                "Line 11 of '\(list)': The key 'split' is not known",
            ] { #expect(result.standardError.contains(sentence)) }
            #expect(result.standardError.hasSuffix(", failed: 5\n"))
        }
    }

    @Test("What stands in the way of an entry's file is told with advice that a list can follow: out=, never -o")
    func advice() throws {
        let other = Route(PatternContent(seed: 93, length: 200_000))
        try FaultServer.run(["/file": Route(content), "/other": other]) { server in
            let segdl = try SegdlBinary()
            let wrong = ["--checksum", "md5:" + String(repeating: "0", count: 32)]
            #expect(try segdl.run(wrong + ["-o", "foreign", server.url("/other")]).end == .exit(9))
            let folders = ["folder", "p.segdl.part", "q.segdl.journal"]
            for name in folders { mkdir(segdl.folder.path(name), 0o755) }
            try segdl.folder.write("precious", to: "plain")
            try segdl.folder.write("", to: "linked.segdl.part")
            link(segdl.folder.path("linked.segdl.part"), segdl.folder.path("other"))
            let outputs = [
                "folder", "plain", "p", "q", "linked", "x.segdl.part", String(repeating: "a", count: 250), "new",
                "new", "folder/", "foreign",
            ]
            let list = try segdl.writeList(outputs.flatMap { [server.url("/file"), "  out=\($0)"] })
            let result = try segdl.run(["-q", "-i", list])
            #expect(result.end == .exit(3))
            let lines = result.standardError.split(separator: "\n")
            #expect(lines.count == outputs.count - 1, "\(result.standardError)")
            for line in lines { #expect(line.contains("out=") && !line.contains(" -o"), "\(line)") }
            #expect(try segdl.run(["-q", "-o", "plain", server.url("/file")]).standardError.contains("with -o."))
        }
    }

    @Test("A header of an entry goes to its own requests and to no other's")
    func headers() throws {
        try FaultServer.run(["/a": Route(content), "/b": Route(content)]) { server in
            let segdl = try SegdlBinary()
            let list = try segdl.writeList([server.url("/a"), "  header=X-Own: secret", server.url("/b")])
            #expect(try segdl.run(["-H", "X-All: x", "-i", list]).end == .exit(0))
            for request in server.requests {
                #expect(request.fields["X-All"] == "x")
                #expect(request.fields["X-Own"] == (request.path == "/a" ? "secret" : nil))
            }
        }
    }

    @Test("The URLs of a pipe are begun as they come, and the end of the pipe is not waited for")
    func slowPipe() throws {
        try FaultServer.run(["/a": Route(content), "/b": Route(content), "/c": Route(content)]) { server in
            let segdl = try SegdlBinary()
            let child = try segdl.start(["-i", "-", server.url("/a")])
            try child.waitForOutput { $0.contains("a: 293.0 KiB in") }
            try child.writeInput("# a comment\r\n\(server.url("/b"))\r\n")
            try child.waitForOutput { $0.contains("b: 293.0 KiB in") }
            try child.writeInput("\(server.url("/c"))\n  out=d")
            child.endInput()
            let result = try child.wait()
            #expect(result.end == .exit(0), "\(result.standardError)")
            #expect(try segdl.folder.names() == ["a", "b", "d"])
        }
    }

    @Test("A signal that comes while a pipe is waited for ends the run")
    func signalAtPipe() throws {
        try FaultServer.run(["/a": Route(content)]) { server in
            let segdl = try SegdlBinary()
            let child = try segdl.start(["-i", "-", server.url("/a")])
            try child.waitForOutput { $0.contains("a: 293.0 KiB in") }
            child.kill(SIGTERM)
            let result = try child.wait()
            #expect(result.end == .signal(SIGTERM))
            let sentence = "Stopped: 1 file is complete; run the same command to go on.\n"
            #expect(result.standardError.hasSuffix(sentence), "\(result.standardError)")
        }
    }

    @Test("A list that can't be read ends the run with 3 before anything is asked", arguments: ["none", "."])
    func unreadable(name: String) throws {
        try FaultServer.run(["/a": Route(content)]) { server in
            let segdl = try SegdlBinary()
            let good = try segdl.writeList([server.url("/a")])
            let result = try segdl.run(["-i", good, "-i", name, server.url("/a")])
            #expect(result.end == .exit(3))
            #expect(result.standardError.contains("The list '\(name)' can't be read"))
            #expect(server.requests.isEmpty)
        }
    }

    @Test("After a signal the same command fetches what is missing and nothing else")
    func stoppedAndGoneOn() throws {
        let big = PatternContent(seed: 92, length: 2 * MiB)
        var routes: [String: Route] = [:]
        for number in 0..<8 { routes["/f\(number)"] = Route(big) }
        // Nothing comes from there on, over however many connections.
        let half = Route(big).script(.gets) { behaviour, request in
            behaviour.stallAfter = max(0, 1_000_000 - (request.range(length: big.length)?.lowerBound ?? 0))
        }
        (routes["/f3"], routes["/f6"]) = (half, half)
        try FaultServer.run(routes) { server in
            let segdl = try SegdlBinary()
            // With a name that is known, skipping asks nothing.
            let list = try segdl.writeList((0..<8).flatMap { [server.url("/f\($0)"), "  out=f\($0)"] })
            let options = ["-j", "4", "-s", "64K", "--exists", "skip", "-i", list]
            let child = try segdl.start(["--progress", "none"] + options)
            for name in ["f3", "f6"] { try segdl.waitForJournal(of: name, finishedByteCount: 10 * 64 * KiB) }
            try child.waitForOutput { $0.split(separator: "\n").count { $0.contains(" in ") } == 6 }
            child.kill(SIGINT)
            let stopped = try child.wait()
            #expect(stopped.end == .signal(SIGINT))
            let sentence = "Stopped: 6 of 8 files are complete; run the same command to go on.\n"
            #expect(stopped.standardError.hasSuffix(sentence), "\(stopped.standardError)")
            for name in ["/f3", "/f6"] { server.setRoute(name, Route(big)) }
            let before = try server.settledLog().requests.count
            #expect(try segdl.run(options).end == .exit(0))
            for number in 0..<8 { #expect(try big.matches(fileAt: segdl.folder.path("f\(number)"))) }
            let again = try server.settledLog().requests.dropFirst(before)
            #expect(Set(again.map(\.path)) == ["/f3", "/f6"])
            #expect(again.reduce(0) { $0 + $1.bodyBytesSent } < 2 * (big.length - 10 * 64 * KiB) + 256 * KiB)
        }
    }

    @Test("100,000 lines take little more memory than 1,000", .enabled(if: !Sanitizer.isActive))
    func memory() throws {
        try FaultServer.run([:]) { server in
            let segdl = try SegdlBinary()
            let names = (0..<100).map { "f\($0)" }
            for name in names { try segdl.folder.write("x", to: name) }
            func peak(lineCount: Int) throws -> Int64 {
                // One of a hundred is a file that is there, the others are refused.
                let lines = (0..<lineCount).map { number in
                    number % 1000 == 0 ? "\(server.url("/x"))\n  out=f\(number / 1000)" : "line \(number)"
                }
                let list = try segdl.writeList(lines, to: "list\(lineCount)")
                let child = try ChildProcess.start(
                    try Executables.product("segdl"),
                    ["--exists", "skip", "--progress", "plain", "-i", list],
                    directory: segdl.folder.path,
                    measuresMemory: true
                )
                let result = try child.wait(timeout: .seconds(120))
                #expect(result.end == .exit(2))
                let existing = (lineCount + 999) / 1000
                let end = "failed: \(lineCount - existing), here already: \(existing)\n"
                #expect(result.standardError.hasSuffix(end), "\(result.standardError.suffix(200))")
                return try #require(result.peakResidentBytes)
            }
            let few = try peak(lineCount: 1000)
            let many = try peak(lineCount: 100_000)
            #expect(many < few + 8 * MiB, "\(few), \(many)")
        }
    }
}

extension SegdlBinary {
    /// Writes a list into the program's folder, and returns its name there.
    func writeList(_ lines: [String], to name: String = "list") throws -> String {
        try folder.write(lines.map { $0 + "\n" }.joined(), to: name)
        return name
    }
}
