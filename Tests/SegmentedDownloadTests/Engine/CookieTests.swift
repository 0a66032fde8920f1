import Foundation
import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

@Suite struct CookieTests {
    private let content = PatternContent(seed: 5, length: 1 * MiB)

    private static func needs(_ cookie: String) -> Requests {
        .matching { !($0.fields["Cookie"] ?? "").contains(cookie) }
    }

    private static func redirect(to location: String, setting cookies: String...) -> Route {
        Route(.bytes([])) { behaviour in
            behaviour.redirect(to: location)
            for cookie in cookies { behaviour.fields.add("Set-Cookie", cookie) }
        }
    }

    @Test("A cookie that a redirect sets is sent with every segment, over all workers")
    func redirectSets() throws {
        let harness = try DownloadHarness()
        let routes = [
            "/start": Self.redirect(to: "/file", setting: "session=abc; Path=/", "other=x; Path=/else"),
            "/file": Route(content).on(Self.needs("session=abc")) { $0.fail(403) },
        ]
        try FaultServer.run(routes) { server in
            let report = try harness.run(server.url("/start")).get()
            #expect(report.length == content.length)
            let requests = server.log.requests(for: "/file")
            #expect(requests.count > 4)
            #expect(requests.allSatisfy { $0.fields.values(of: "Cookie") == ["session=abc"] })
        }
    }

    @Test("A cookie of the ranged GET whose answer is held is sent with the other segments")
    func heldAnswerSets() throws {
        let harness = try DownloadHarness()
        let route = Route(content) { $0.fields["Set-Cookie"] = "seen=1" }
            .on(.heads) {
                $0.fail(405)
                $0.fields["Set-Cookie"] = nil
            }
            .on(Self.needs("seen=1").and(.beginning(at: 0).inverted)) { $0.fail(403) }
        try FaultServer.run(["/file": route]) { server in
            let report = try harness.run(server.url("/file")).get()
            #expect(report.length == content.length)
        }
    }

    @Test("A server that gives a new cookie with each answer gets the last one it gave back")
    func rotates() throws {
        var options = DownloadHarness.options(jobs: 1)
        options.stallTimeout = .seconds(5)
        let harness = try DownloadHarness()
        let route = Route(content).script { behaviour, request in
            let old = Int(request.fields["Cookie"]?.split(separator: "=").last ?? "0") ?? 0
            behaviour.fields["Set-Cookie"] = "turn=\(old + 1)"
        }
        try FaultServer.run(["/file": route]) { server in
            _ = try harness.run(server.url("/file"), options: options) { $0.requestSize = 128 * KiB }.get()
            let turns = server.requests.map { $0.fields["Cookie"] ?? "none" }
            #expect(turns.count >= 9)
            #expect(turns == ["none"] + (1..<turns.count).map { "turn=\($0)" })
        }
    }

    @Test("Cookies given as data go to the origin given; cookies that were set go where the rules say")
    func origins() throws {
        let harness = try DownloadHarness()
        try FaultServer.run(["/file": Route(content)]) { other in
            let sameHost = other.url("/file")
            for target in [sameHost, sameHost.replacing("127.0.0.1", with: "localhost")] {
                let route = Self.redirect(to: target, setting: "set=server; Path=/")
                try FaultServer.run(["/start": route]) { server in
                    let result = try harness.run(server.url("/start")) {
                        $0.headers = ["cookie: planted=header"]
                        $0.cookies = "planted=data"
                        $0.existing = .overwrite
                    }
                    let report = try result.get()
                    #expect(report.length == content.length)
                    #expect(server.requests[0].fields.values(of: "Cookie") == ["planted=header; planted=data"])
                    // RFC 6265 §8.5: cookies do not know ports.
                    let expected: [String] = target == sameHost ? ["set=server"] : []
                    let hits = other.requests.filter { target.contains("//\($0.fields["Host"] ?? "none")/") }
                    #expect(hits.count > 4 && hits.allSatisfy { $0.fields.values(of: "Cookie") == expected })
                }
            }
        }
    }

    @Test("A file of cookies is read once, even from a pipe, and follows its domains and paths")
    func file() throws {
        let harness = try DownloadHarness()
        let files = try TemporaryFolder()
        let pipe = files.path("cookies")
        #expect(mkfifo(pipe, 0o600) == 0)
        let text = """
            127.0.0.1\tFALSE\t/\tFALSE\t0\there\t1
            127.0.0.1\tFALSE\t/else\tFALSE\t0\telse\t1
            localhost\tFALSE\t/\tFALSE\t0\tthere\t1
            Set-Cookie: free=1
            Set-Cookie: encrypted=1; Secure
            """
        Thread { try? Data(text.utf8).write(to: URL(fileURLWithPath: pipe)) }.start()
        var options = DownloadHarness.options()
        options.cookieFiles = [pipe]
        try FaultServer.run(["/file": Route(content)]) { other in
            let target = other.url("/file").replacing("127.0.0.1", with: "localhost")
            try FaultServer.run(["/start": .redirect(to: target), "/x": Route(content)]) { server in
                let session = try Session(options)
                defer { session.close() }
                for url in [server.url("/start"), server.url("/x")] {
                    _ = try harness.start(harness.request(url), in: session).wait()
                }
                #expect(server.requests.count > 4)
                #expect(server.requests.allSatisfy { $0.fields.values(of: "Cookie") == ["here=1; free=1"] })
                #expect(other.requests.allSatisfy { $0.fields.values(of: "Cookie") == ["there=1"] })
            }
        }
    }

    @Test("A file of cookies that is not there ends before anything is fetched")
    func missingFile() throws {
        var options = DownloadHarness.options()
        options.cookieFiles = ["/no/such/file"]
        let error = #expect(throws: DownloadError.self) { try Session(options) }
        #expect(error?.kind == .localFile)
    }

    @Test("A session keeps cookies from one download to the next, and another session has none of them")
    func session() throws {
        let harness = try DownloadHarness()
        let routes = [
            "/login": Route(content) { $0.fields["Set-Cookie"] = "session=abc; Path=/" },
            "/file": Route(content).on(Self.needs("session=abc")) { $0.fail(403) },
        ]
        try FaultServer.run(routes) { server in
            let session = try Session(DownloadHarness.options())
            defer { session.close() }
            for path in ["/login", "/file"] {
                _ = try harness.start(harness.request(server.url(path)), in: session).wait()
            }
            #expect(throws: DownloadError.self) {
                try harness.run(server.url("/file")) { $0.existing = .overwrite }.get()
            }
        }
    }
}
