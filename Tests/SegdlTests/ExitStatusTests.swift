import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

@Suite struct ExitStatusTests {
    private let content = PatternContent(seed: 9, length: 1 * MiB)

    @Test("The exit status names the kind of the failure")
    func statuses() throws {
        let routes = [
            "/file": Route(content), "/secret": Route(content) { $0.credentials = "me:x" },
            "/error": Route(content) { $0.fail(503) }, "/loop": Route.redirect(to: "/loop"),
        ]
        try FaultServer.run(routes) { server in
            let cases: [([String], Int32)] = [
                ([], 2), (["--no-such-option"], 2), (["ftp://127.0.0.1/x"], 2), (["127.0.0.1/x"], 2),
                ([server.url("/missing")], 8), ([server.url("/secret")], 6), ([server.url("/error")], 8),
                ([server.url("/loop")], 7), (["http://127.0.0.1:1/x"], 4),
                (["-o", "none/file", server.url("/file")], 3),
                (["-u", "me:x", server.url("/secret")], 0), ([server.url("/file")], 0), ([server.url("/file")], 0),
                ([server.url("/missing"), server.url("/error"), server.url("/file")], 8),
            ]
            let segdl = try SegdlBinary()
            for (arguments, status) in cases {
                let result = try segdl.run(arguments)
                #expect(result.end == .exit(status), "\(arguments): \(result.standardError)")
                #expect(result.standardOutput.isEmpty)
            }
            #expect(try segdl.folder.names().sorted() == ["file", "secret"])
        }
    }

    @Test("Two URLs of one run with the same name: 3 for the second")
    func sameName() throws {
        try FaultServer.run(["/a/file": Route(content), "/b/file": Route(content)]) { server in
            let segdl = try SegdlBinary()
            #expect(try segdl.run([server.url("/a/file"), server.url("/b/file")]).end == .exit(3))
            #expect(try content.matches(fileAt: segdl.folder.path("file")))
        }
    }

    @Test("A host that nobody knows ends its own URL with 4, and no other")
    func unknownHost() throws {
        try FaultServer.run(["/a": Route(content), "/b": Route(content)]) { server in
            let segdl = try SegdlBinary()
            let result = try segdl.run([server.url("/a"), "http://no-such-host.invalid/x", server.url("/b")])
            #expect(result.end == .exit(4), "\(result.standardError)")
            #expect(try segdl.folder.names().sorted() == ["a", "b"])
        }
    }

    @Test("A second segdl on the same name ends with 3, and disturbs nothing")
    func locked() throws {
        try FaultServer.run(["/file": Route(content) { $0.stallAfter = 100_000 }]) { server in
            let segdl = try SegdlBinary()
            let first = try segdl.start(["-q", "-s", "64K", server.url("/file")])
            try server.waitUntil { $0.stalledCount > 0 }
            let second = try segdl.run([server.url("/file")])
            #expect(second.end == .exit(3))
            #expect(second.standardError.contains("Another segdl"))
            server.setRoute("/file", Route(content))
            try server.release()
            #expect(try first.wait().end == .exit(0))
            #expect(try content.matches(fileAt: segdl.folder.path("file")))
        }
    }

    @Test("JSON lines go to standard output, plain lines without control codes to standard error, -q prints nothing")
    func output() throws {
        try FaultServer.run(["/file": Route(content)]) { server in
            let json = try SegdlBinary().run(["--progress", "json", server.url("/file")])
            #expect(json.standardOutput.split(separator: "\n").allSatisfy { $0.hasPrefix("{") && $0.hasSuffix("}") })
            #expect(json.standardOutput.contains("\"event\":\"finish\""))
            let plain = try SegdlBinary().run([server.url("/file")])
            #expect(plain.standardError.contains("verified by strong ETag"))
            #expect(!plain.standardError.unicodeScalars.contains { $0.value < 32 && $0 != "\n" })
            let quiet = try SegdlBinary().run(["-q", server.url("/file")])
            #expect(quiet.standardError.isEmpty && quiet.standardOutput.isEmpty)
        }
    }
}
