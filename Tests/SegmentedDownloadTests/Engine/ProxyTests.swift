import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

@Suite struct ProxyTests {
    private let content = PatternContent(seed: 8, length: 1 * MiB)

    private static func options(_ proxy: String, jobs: Int = 4) -> SessionOptions {
        var options = DownloadHarness.options(jobs: jobs)
        options.proxy = proxy
        // Whatever the environment of the tests says.
        options.noProxy = ""
        return options
    }

    /// Runs a download through a proxy of its own.
    private func run(
        _ script: ProxyScript,
        user: String = "",
        route: (inout Behaviour) -> Void = { _ in },
        _ change: (inout DownloadRequest) -> Void = { _ in },
        check: (Result<DownloadReport, DownloadError>, ProxyServer, FaultServer, DownloadHarness) throws -> Void
    ) throws {
        let harness = try DownloadHarness()
        let proxy = try ProxyServer(script)
        defer { proxy.stop() }
        try FaultServer.run(["/file": Route(content, route)]) { server in
            let scheme = script.kind == .http ? "http" : "socks5h"
            let options = Self.options("\(scheme)://\(user)\(proxy.authority)")
            let result = try harness.run(server.url("/file"), options: options, change)
            try check(result, proxy, server, harness)
        }
    }

    @Test("Through a plain HTTP proxy, with several connections, the right file comes")
    func plain() throws {
        // Slow enough for all connections to be opened.
        try run(ProxyScript(), route: { $0.bytesPerSecond = 1_000_000 }) { result, proxy, server, harness in
            let report = try result.get()
            #expect(report.length == content.length)
            let matches = try content.matches(fileAt: harness.folder.path("file"))
            #expect(matches)
            #expect(proxy.requests.count == server.requests.count)
            #expect(proxy.requests.allSatisfy { $0.target == server.url("/file") })
            #expect(proxy.connectionCount >= 4)
        }
    }

    @Test("A proxy's password goes to the proxy and not to the server, and a wrong one is status 6")
    func credentials() throws {
        let script = ProxyScript { $0.credentials = "me:planted" }
        try run(script, user: "me:planted@") { result, proxy, server, _ in
            let report = try result.get()
            #expect(report.length == content.length)
            #expect(server.requests.allSatisfy { $0.fields["Proxy-Authorization"] == nil })
            #expect(server.requests.allSatisfy { $0.fields["Authorization"] == nil })
        }
        try run(script, user: "me:wrong-planted@") { result, proxy, server, harness in
            guard case .failure(let error) = result else { return fail() }
            #expect(error.kind == .authentication)
            #expect(error.message.contains("proxy"))
            #expect(!"\(error) \(harness.seenEvents)".contains("planted"))
            #expect(server.requests.isEmpty)
            #expect(proxy.requests.count <= 2)
        }
    }

    @Test("A proxy that wants a digest for plain requests is status 6, and the password is not shown")
    func digest() throws {
        let script = ProxyScript {
            $0.credentials = "me:planted"
            $0.wantsDigest = true
        }
        try run(script, user: "me:planted@") { result, _, server, harness in
            guard case .failure(let error) = result else { return fail() }
            #expect(error.kind == .authentication)
            #expect(!"\(error) \(harness.seenEvents)".contains("planted"))
            #expect(server.requests.isEmpty)
        }
    }

    @Test("A proxy is named in what --verbose says, without its password")
    func details() throws {
        let script = ProxyScript { $0.refusesAlways = 403 }
        try run(script, user: "me:planted@") { result, proxy, _, harness in
            guard case .failure(let error) = result else { return fail() }
            #expect(error.kind == .server)
            #expect(!"\(error) \(harness.seenEvents)".contains("planted"))
            #expect(harness.seenEvents.contains { "\($0)".contains("through the proxy \(proxy.authority)") })
        }
    }

    @Test("A proxy that takes the Range field out leads to one stream with the right bytes")
    func stripped() throws {
        try run(ProxyScript { $0.stripsRange = true }) { result, proxy, _, harness in
            let report = try result.get()
            #expect(report.length == content.length)
            let matches = try content.matches(fileAt: harness.folder.path("file"))
            #expect(matches)
            #expect(report.receivedByteCount < content.length * 22 / 10)
        }
    }

    /// What a proxy sends in place of an answer to CONNECT, and the failure that it is.
    static let endless: [(head: String, repeated: String, kind: DownloadError.Kind)] = [
        // libcurl 7.88 throws such a body away within one call, past all timeouts, for as long as it comes.
        ("HTTP/1.1 407 No\r\nContent-Length: 100000000000\r\n\r\n", "hello", .authentication),
        ("HTTP/1.1 403 No\r\nTransfer-Encoding: chunked\r\n\r\n", "5\r\nhello\r\n", .server),
        ("HTTP/1.1 200 OK\r\n", "X-Field: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n", .network),
        ("HTTP/1.1 200 ", "aaaaaaaa", .network),
    ]

    @Test("A proxy whose answer to CONNECT has no end does not hold anything up", arguments: endless.indices)
    func endlessAnswer(index: Int) throws {
        let (head, repeated, kind) = Self.endless[index]
        let proxy = try ProxyServer(ProxyScript { $0.endless = (head, repeated) })
        defer { proxy.stop() }
        var options = Self.options(proxy.authority)
        // What ends it is its length, which takes its time under a sanitizer.
        (options.stallTimeout, options.connectTimeout) = (.seconds(30), .seconds(30))
        options.headPatience = .seconds(30)
        let error = #expect(throws: DownloadError.self) {
            try DownloadHarness().run("https://127.0.0.1:2/file", options: options).get()
        }
        #expect(error?.kind == kind, "\(String(describing: error))")
        #expect(error?.message.contains(proxy.authority) == true)
    }

    @Test("502 of a proxy is transient")
    func badGateway() throws {
        try run(ProxyScript { $0.refusals = [502, 502] }) { result, _, _, harness in
            let report = try result.get()
            #expect(report.length == content.length)
            let matches = try content.matches(fileAt: harness.folder.path("file"))
            #expect(matches)
        }
    }

    @Test("A SOCKS5 proxy carries everything, and gets the name, not the address")
    func socks() throws {
        let harness = try DownloadHarness()
        let proxy = try ProxyServer(ProxyScript { $0.kind = .socks5 })
        defer { proxy.stop() }
        try FaultServer.run(["/file": Route(content) { $0.bytesPerSecond = 1_000_000 }]) { server in
            let url = server.url("/file").replacing("127.0.0.1", with: "nowhere.invalid")
            let options = Self.options("socks5h://\(proxy.authority)")
            let report = try harness.run(url, options: options).get()
            #expect(report.length == content.length)
            let matches = try content.matches(fileAt: harness.folder.path("file"))
            #expect(matches)
            #expect(proxy.requests.count == 4)
            #expect(proxy.requests.allSatisfy { $0.target == "nowhere.invalid:\(server.port)" })
            let resolving = Self.options("socks5://\(proxy.authority)")
            let local = server.url("/file").replacing("127.0.0.1", with: "localhost")
            _ = try? harness.run(local, options: resolving) { $0.existing = .overwrite }.get()
            #expect(proxy.requests.dropFirst(4).allSatisfy { !$0.target.hasPrefix("localhost") })
            #expect(proxy.requests.count > 4)
        }
    }

    @Test(
        "A SOCKS5 proxy's password is sent there; a wrong or missing one is status 6",
        arguments: ["me:planted-x@", ""]
    )
    func socksCredentials(wrong: String) throws {
        let script = ProxyScript {
            $0.kind = .socks5
            $0.credentials = "me:planted"
        }
        try run(script, user: "me:planted@") { result, proxy, server, _ in
            let report = try result.get()
            #expect(report.length == content.length)
            #expect(proxy.requests.allSatisfy { $0.credentials == "me:planted" })
            #expect(server.requests.allSatisfy { $0.fields["Proxy-Authorization"] == nil })
        }
        try run(script, user: wrong) { result, _, _, harness in
            guard case .failure(let error) = result else { return fail() }
            #expect(error.kind == .authentication)
            #expect(error.message.contains("proxy"))
            #expect(!"\(error) \(harness.seenEvents)".contains("planted"))
        }
    }

    @Test("What a SOCKS5 proxy does not allow is status 8; what it can't reach is 4", arguments: [2, 5])
    func socksReplies(reply: UInt8) throws {
        let script = ProxyScript {
            $0.kind = .socks5
            $0.socksReply = reply
        }
        try run(script) { result, proxy, _, _ in
            guard case .failure(let error) = result else { return fail() }
            #expect(error.kind == (reply == 2 ? .server : .network))
            #expect(error.message.contains("proxy \(proxy.authority)"))
        }
    }

    @Test("A proxy that nobody runs is named")
    func nobody() throws {
        let harness = try DownloadHarness()
        let error = #expect(throws: DownloadError.self) {
            try harness.run("http://127.0.0.1:2/file", options: Self.options("127.0.0.1:1")).get()
        }
        #expect(error?.kind == .network)
        #expect(error?.message.contains("127.0.0.1:2 through the proxy 127.0.0.1:1") == true)
    }

    @Test("Hosts without proxy are reached without one")
    func noProxy() throws {
        let harness = try DownloadHarness()
        var options = Self.options("127.0.0.1:1")
        options.noProxy = "127.0.0.0/8"
        try FaultServer.run(["/file": Route(content)]) { server in
            let report = try harness.run(server.url("/file"), options: options).get()
            #expect(report.length == content.length)
        }
    }

    @Test("A proxy that can't be meant ends before anything is fetched")
    func nonsense() throws {
        for proxy in ["socks://a:1", "garbage", "http://"] {
            let error = #expect(throws: DownloadError.self) { try Session(Self.options(proxy)) }
            #expect(error?.kind == .usage)
            #expect(error?.message.contains("--proxy") == true)
        }
    }
}

private func fail() {
    Issue.record("it did not fail")
}
