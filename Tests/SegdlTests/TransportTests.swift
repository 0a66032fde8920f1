import Foundation
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

@Suite struct TransportTests {
    private let content = PatternContent(seed: 4, length: 1 * MiB)

    @Test("Proxies of the environment count where the options say nothing")
    func environment() throws {
        let proxy = try ProxyServer()
        defer { proxy.stop() }
        try FaultServer.run(["/file": Route(content)]) { server in
            let dead = "127.0.0.1:1"
            let cases: [(arguments: [String], environment: [String: String], status: Int32, isThrough: Bool)] = [
                ([], [:], 0, false), ([], ["http_proxy": proxy.authority], 0, true),
                ([], ["HTTP_PROXY": dead], 0, false),
                ([], ["ALL_PROXY": "http://\(proxy.authority)"], 0, true), ([], ["http_proxy": dead], 4, false),
                ([], ["http_proxy": proxy.authority, "no_proxy": "127.0.0.1"], 0, false),
                ([], ["http_proxy": proxy.authority, "NO_PROXY": "x, 127.0.0.0/8"], 0, false),
                (["--noproxy", "x"], ["http_proxy": proxy.authority, "no_proxy": "*"], 0, true),
                (["-x", proxy.authority], ["http_proxy": dead], 0, true),
                (["-x", ""], ["http_proxy": dead], 0, false),
            ]
            for (arguments, environment, status, isThrough) in cases {
                let count = proxy.requests.count
                let segdl = try SegdlBinary()
                let result = try segdl.run(arguments + [server.url("/file")], environment: environment)
                #expect(result.end == .exit(status), "\(environment): \(result.standardError)")
                #expect((proxy.requests.count > count) == isThrough, "\(arguments) \(environment)")
            }
        }
    }

    @Test("A bad proxy of the environment is named with its variable, only where it counts, and never shown")
    func badEnvironment() throws {
        try FaultServer.run(["/file": Route(content)]) { server in
            let segdl = try SegdlBinary()
            for (name, value) in [("ALL_PROXY", "socks://u:planted@127.0.0.1:1/"), ("http_proxy", "garbage-planted")] {
                let result = try segdl.run([server.url("/file")], environment: [name: value])
                #expect(result.end == .exit(2))
                #expect(result.standardError.contains(name))
                #expect(!result.standardError.contains("planted"))
                let fine = ["--overwrite", server.url("/file")]
                let exempt = try segdl.run(fine, environment: [name: value, "no_proxy": "127.0.0.1"])
                #expect(exempt.end == .exit(0))
                #expect(try segdl.run(["-x", ""] + fine, environment: [name: value]).end == .exit(0))
            }
            let other = try segdl.run(["--overwrite", server.url("/file")], environment: ["https_proxy": "garbage"])
            #expect(other.end == .exit(0))
        }
    }

    @Test("Secrets are in no message, however much is said", arguments: ["none", "plain", "json"])
    func secrets(progress: String) throws {
        let secret = "planted"
        let proxy = try ProxyServer(ProxyScript { $0.credentials = "me:\(secret)" })
        defer { proxy.stop() }
        let file = Route(content) { $0.fields["Set-Cookie"] = "set=\(secret)" }
        try FaultServer.run(["/file": file]) { other in
            let target = other.url("/file").replacing("127.0.0.1", with: "localhost") + "?\(secret)"
            let start = Route.redirect(to: target).on(.all) { $0.fields["Set-Cookie"] = "a=\(secret)" }
            try FaultServer.run(["/start": start, "/no": Route(content) { $0.fail(403) }]) { server in
                let segdl = try SegdlBinary()
                let netrc = try segdl.folder.write("machine 127.0.0.1 login me password \(secret)\n", to: "netrc")
                let cookies = try segdl.folder.write("127.0.0.1\tFALSE\t/\tFALSE\t0\tc\t\(secret)\n", to: "cookies")
                let given = [
                    "-v", "--progress", progress, "-n", "-b", "d=\(secret)", "-b", cookies, "-H", "X-Key: \(secret)",
                    "-x", "http://me:\(secret)@\(proxy.authority)",
                ]
                let urls = [server.url("/start?\(secret)"), server.url("/no?\(secret)")]
                for url in urls {
                    let environment = ["NETRC": netrc, "no_proxy": "", "NO_PROXY": ""]
                    let result = try segdl.run(given + [url], environment: environment)
                    #expect(result.end == .exit(url == urls[0] ? 0 : 8), "\(result.standardError)")
                    #expect(!(result.standardError + result.standardOutput).contains(secret))
                }
                #expect(server.requests.allSatisfy { $0.fields["Authorization"] != nil && $0.fields["X-Key"] != nil })
                #expect(server.requests.allSatisfy { $0.fields["Cookie"]?.contains("d=\(secret)") == true })
                for request in other.requests {
                    let leaks = request.fields.all.filter { $0.value.contains(secret) && $0.value != "set=\(secret)" }
                    #expect(leaks.isEmpty)
                    #expect(request.fields["Authorization"] == nil)
                }
            }
        }
    }

    @Test("A netrc file from a shell's pipe signs in every connection")
    func netrcPipe() throws {
        try FaultServer.run(["/file": Route(content) { $0.credentials = "me:secret" }]) { server in
            let segdl = try SegdlBinary()
            let script = "NETRC=<(echo machine 127.0.0.1 login me password secret) exec \"$0\" -n -s 64K \"$1\""
            let program = try Executables.product("segdl")
            let arguments = ["-c", script, program, server.url("/file")]
            let result = try ChildProcess.run("bash", arguments, directory: segdl.folder.path)
            #expect(result.end == .exit(0), "\(result.standardError)")
            #expect(try content.matches(fileAt: segdl.folder.path("file")))
        }
    }

    @Test("A file of cookies that is not there is passed over with a note, as curl does; one that can't be read is not")
    func missingCookies() throws {
        try FaultServer.run(["/file": Route(content)]) { server in
            func run(_ arguments: [String]) throws -> ChildProcess.Result {
                try SegdlBinary().run(arguments + ["-b", "none\u{1B}", "-b", "a=1", server.url("/file")])
            }
            let note = "The file of cookies 'none?' is not there: going on without it."
            for style in [["--progress", "plain"], ["--progress", "none"]] {
                let result = try run(style)
                #expect(result.end == .exit(0), "\(result.standardError)")
                #expect(result.standardError.hasPrefix("\(note)\n"), "\(result.standardError)")
            }
            #expect(server.requests.allSatisfy { $0.fields["Cookie"] == "a=1" })
            let quiet = try run(["-q"])
            #expect(quiet.end == .exit(0) && quiet.standardError.isEmpty, "\(quiet.standardError)")
            let json = try run(["--progress", "json"])
            #expect(json.end == .exit(0))
            let first = try #require(json.standardOutput.split(separator: "\n").first)
            #expect(first.contains("\"event\":\"note\"") && first.contains("\"file\":0") && first.contains(note))
            let segdl = try SegdlBinary()
            symlink("loop", segdl.folder.path("loop"))
            #expect(try segdl.run(["-b", "loop", server.url("/file")]).end == .exit(3))
        }
    }

    @Test("Options of the transport that can't be meant are usage, and files that are not there are named")
    func usage() throws {
        let segdl = try SegdlBinary()
        let cases: [([String], Int32, String)] = [
            (["-x", "socks://a:1"], 2, "socks5h"), (["-x", "garbage"], 2, "--proxy"),
            (["--resolve", "a:b"], 2, "--resolve"),
            (["--key", "/dev/null"], 2, "--cert"), (["--cert", "/no/such"], 3, "/no/such"),
            (["-b", "/"], 3, "The file of cookies '/'"), (["--https-only"], 2, "--https-only"),
            (["--http", "3"], 2, "'1.1' or '2'"),
        ]
        for (arguments, status, text) in cases {
            let result = try segdl.run(arguments + ["http://127.0.0.1:1/file"])
            #expect(result.end == .exit(status), "\(arguments): \(result.standardError)")
            #expect(result.standardError.contains(text), "\(result.standardError)")
        }
        let result = try segdl.run(["-n", "http://127.0.0.1:1/file"], environment: ["NETRC": "/no/such"])
        #expect(result.end == .exit(3) && result.standardError.contains("The netrc file '/no/such'"))
    }
}
