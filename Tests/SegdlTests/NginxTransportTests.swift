import Foundation
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

@Suite(.enabled(if: NginxServer.missing == nil, "nginx is not installed")) struct NginxTransportTests {
    /// Downloads 64 MiB in requests of 1 MiB over HTTP/2, none of which shares a TCP connection with another.
    private func run(_ directives: String) throws -> [NginxLogEntry] {
        let nginx = try NginxServer(secureParameters: "http2", serverDirectives: directives)
        defer { nginx.stop() }
        let content = try nginx.makeFile("file", length: 64 * MiB, seed: 1)
        let segdl = try SegdlBinary()
        let arguments = ["--http", "2", "-j", "8", "-s", "1M", "--request-size", "1M", "-v", "--progress", "none"]
        let result = try segdl.run(arguments + ["--cacert", nginx.authorityPath, nginx.secureURL("/file")])
        #expect(result.end == .exit(0), "\(result.standardError)")
        #expect(!result.standardError.contains("failed"), "\(result.standardError)")
        #expect(try content.matches(fileAt: segdl.folder.path("file")))
        let log = try nginx.accessLog { $0.count >= 65 }
        #expect(log.allSatisfy { $0.version == "HTTP/2.0" })
        // Nothing was asked for twice. What a slow connection had left another may have asked for.
        let starts = log.compactMap { $0.range?.lowerBound }
        #expect(starts.count >= 64)
        #expect(Set(starts).count == starts.count)
        for (_, entries) in Dictionary(grouping: log, by: \.connection) {
            let inOrder = entries.sorted { $0.endedAt < $1.endedAt }
            // To the millisecond, twice.
            #expect(zip(inOrder, inOrder.dropFirst()).allSatisfy { $1.endedAt - $1.seconds >= $0.endedAt - 0.003 })
        }
        return log
    }

    @Test("Over HTTP/2 every connection is a TCP connection of its own")
    func connections() throws {
        // Not all eight, where the others are done before the last handshake is.
        #expect((2...9).contains(Set(try run("").map(\.connection)).count))
    }

    @Test("Where each TCP connection is slow, eight of them carry an eighth each", arguments: ["1.1", "2"])
    func throughput(version: String) throws {
        let nginx = try NginxServer(secureParameters: "http2")
        defer { nginx.stop() }
        let content = try nginx.makeFile("file", length: 8 * MiB, seed: 71)
        let proxy = try ProxyServer(ProxyScript { $0.tunnelBytesPerSecond = 1_000_000 })
        defer { proxy.stop() }
        let segdl = try SegdlBinary()
        let arguments = [
            "--http", version, "-j", "8", "-x", "http://\(proxy.authority)", "--noproxy", "none", "--cacert",
            nginx.authorityPath, nginx.secureURL("/file"),
        ]
        let result = try segdl.run(arguments)
        #expect(result.end == .exit(0), "\(result.standardError)")
        #expect(try content.matches(fileAt: segdl.folder.path("file")))
        let counts = proxy.tunnelByteCounts.values
        // Over one connection it would take 8 s.
        #expect(counts.count == 8)
        #expect(counts.allSatisfy { $0 < content.length / 4 }, "\(counts)")
    }

    @Test("A server that ends each HTTP/2 connection after three requests is no failure")
    func goAway() throws {
        let log = try run("keepalive_requests 3;")
        for (_, entries) in Dictionary(grouping: log, by: \.connection) { #expect(entries.count <= 3) }
    }

    @Test("A server that allows one stream a connection kills no transfer")
    func streamLimit() throws {
        #expect((2...9).contains(Set(try run("http2_max_concurrent_streams 1;").map(\.connection)).count))
    }

    @Test("A transfer that stalls goes on over a new TCP connection", arguments: ["1.1", "2"])
    func stalled(version: String) throws {
        let nginx = try NginxServer(secureParameters: "http2")
        defer { nginx.stop() }
        let content = try nginx.makeFile("file", length: 4 * MiB, seed: 1)
        let proxy = try ProxyServer(ProxyScript { $0.deadTunnels = [1: 1_000_000] })
        defer { proxy.stop() }
        let segdl = try SegdlBinary()
        let arguments = [
            "--http", version, "-j", "1", "--retry", "2", "-x", "http://\(proxy.authority)", "--noproxy", "none",
            "--cacert", nginx.authorityPath, nginx.secureURL("/file"), "--stall-timeout", "0.3",
        ]
        let result = try segdl.run(arguments)
        #expect(result.end == .exit(0), "\(result.standardError)")
        #expect(try content.matches(fileAt: segdl.folder.path("file")))
        #expect(proxy.connectionCount == 2)
    }

    @Test("A limit holds over TLS, too, and no connection fails for it", arguments: ["1.1", "2"])
    func limitedRate(version: String) throws {
        let nginx = try NginxServer(secureParameters: "http2")
        defer { nginx.stop() }
        let content = try nginx.makeFile("file", length: 2 * MiB, seed: 1)
        let segdl = try SegdlBinary()
        let arguments = ["--http", version, "--limit-rate", "1.25M", "-v", "--progress", "none"]
        let start = ContinuousClock.now
        let result = try segdl.run(arguments + ["--cacert", nginx.authorityPath, nginx.secureURL("/file")])
        #expect(start.duration(to: .now) >= .milliseconds(1500))
        #expect(result.end == .exit(0), "\(result.standardError)")
        #expect(!result.standardError.contains("failed"), "\(result.standardError)")
        #expect(try content.matches(fileAt: segdl.folder.path("file")))
    }

    @Test("Without --http 2 the same server is spoken to in HTTP/1.1")
    func plain() throws {
        let nginx = try NginxServer(secureParameters: "http2")
        defer { nginx.stop() }
        try nginx.makeFile("file", length: 1 * MiB, seed: 1)
        let segdl = try SegdlBinary()
        #expect(try segdl.run(["--cacert", nginx.authorityPath, nginx.secureURL("/file")]).end == .exit(0))
        #expect(try nginx.accessLog { $0.count >= 2 }.allSatisfy { $0.version == "HTTP/1.1" })
    }

    @Test("A certificate is shown to the origin given, and to no other")
    func certificate() throws {
        let folder = try TemporaryFolder()
        let mine = try TestCertificates(in: folder.path)
        let directives = """
            ssl_client_certificate \(mine.authorityPath);
                    ssl_verify_client optional;
                    location = /file { if ($ssl_client_verify != SUCCESS) { return 403; } }
                    location = /away { return 302 https://127.0.0.1:$server_port/file; }
            """
        let nginx = try NginxServer(serverDirectives: directives)
        defer { nginx.stop() }
        let content = try nginx.makeFile("file", length: 4 * MiB, seed: 1)
        let segdl = try SegdlBinary()
        let trust = ["--cacert", nginx.authorityPath]
        let shown = trust + ["--cert", mine.certificatePath, "--key", mine.keyPath]
        #expect(try segdl.run(trust + [nginx.secureURL("/file")]).end == .exit(8))
        let result = try segdl.run(shown + [nginx.secureURL("/file")])
        #expect(result.end == .exit(0), "\(result.standardError)")
        #expect(try content.matches(fileAt: segdl.folder.path("file")))
        // Another origin, although it is the same server.
        #expect(try segdl.run(shown + [nginx.secureURL("/away")]).end == .exit(8))
        let both =
            try String(contentsOfFile: mine.certificatePath, encoding: .utf8)
            + String(contentsOfFile: mine.keyPath, encoding: .utf8)
        let one = try segdl.folder.write(both, to: "both.pem")
        #expect(try segdl.run(trust + ["--overwrite", "--cert", one, nginx.secureURL("/file")]).end == .exit(0))
    }

    @Test("Files that hold no certificate, no key, or that of another are 3, as files that are not there")
    func unusableFiles() throws {
        let folder = try TemporaryFolder()
        let mine = try TestCertificates(in: folder.path)
        let otherFolder = try TemporaryFolder()
        let other = try TestCertificates(in: otherFolder.path)
        let nginx = try NginxServer()
        defer { nginx.stop() }
        try nginx.makeFile("file", length: 1 * MiB, seed: 1)
        let garbage = try folder.write("garbage", to: "garbage")
        // Nobody is asked for the password of the encrypted one.
        let sealed = try Self.sealedKey(mine, in: folder)
        let segdl = try SegdlBinary()
        for key in [other.keyPath, mine.authorityPath, garbage, sealed, "/no/such"] {
            let options = ["--cacert", nginx.authorityPath, "--cert", mine.certificatePath, "--key", key]
            let result = try segdl.run(options + [nginx.secureURL("/file")])
            #expect(result.end == .exit(3), "\(key): \(result.standardError)")
            #expect(key == "/no/such" || result.standardError.contains("--cert and its key"), "\(result.standardError)")
        }
        for authority in [garbage, "/no/such"] {
            let result = try segdl.run(["--cacert", authority, nginx.secureURL("/file")])
            #expect(result.end == .exit(3), "\(authority): \(result.standardError)")
        }
    }

    /// The key, encrypted with a password.
    private static func sealedKey(_ certificates: TestCertificates, in folder: TemporaryFolder) throws -> String {
        let path = folder.path("sealed.key")
        let arguments = ["ec", "-in", certificates.keyPath, "-aes128", "-passout", "pass:secret", "-out", path]
        let result = try ChildProcess.run("openssl", arguments)
        if result.end != .exit(0) { throw TestSupportError(result.standardError) }
        return path
    }

    @Test("A redirect from https to http is followed with a warning, and refused with --https-only")
    func httpsOnly() throws {
        let directives = "location = /down { return 302 http://127.0.0.1:$arg_port/file; }"
        let nginx = try NginxServer(serverDirectives: directives)
        defer { nginx.stop() }
        try nginx.makeFile("file", length: 1 * MiB, seed: 1)
        let segdl = try SegdlBinary()
        let url = nginx.secureURL("/down?port=\(nginx.port)")
        let arguments = ["--cacert", nginx.authorityPath, url]
        let refused = try segdl.run(["--https-only"] + arguments)
        #expect(refused.end == .exit(7))
        #expect(refused.standardError.contains("--https-only"))
        let followed = try segdl.run(arguments)
        #expect(followed.end == .exit(0))
        #expect(followed.standardError.contains("not encrypted"))
        #expect(try nginx.accessLog().filter { $0.path == "/file" && $0.rangeField == nil }.count <= 1)
    }

    @Test(
        "Through CONNECT: no header of the proxy's is read as the server's, no secret reaches the wrong side",
        arguments: [false, true]
    )
    func connect(wantsDigest: Bool) throws {
        // The proxy sets a cookie in its answers.
        let nginx = try NginxServer(serverDirectives: "if ($http_cookie ~ trap) { return 403; }")
        defer { nginx.stop() }
        let content = try nginx.makeFile("file", length: 4 * MiB, seed: 1)
        let proxy = try ProxyServer(
            ProxyScript {
                $0.credentials = "me:planted-proxy"
                $0.wantsDigest = wantsDigest
                $0.refusals = [502, 503]
            }
        )
        defer { proxy.stop() }
        let segdl = try SegdlBinary()
        let arguments = [
            "-x", "me:planted-proxy@\(proxy.authority)", "--noproxy", "none", "-u", "me:planted-server", "-H",
            "X-Key: planted-server", "-b", "c=planted-server", "--cacert", nginx.authorityPath, "-v", "-s", "64K",
        ]
        let result = try segdl.run(arguments + [nginx.secureURL("/file")])
        #expect(result.end == .exit(0), "\(result.standardError)")
        #expect(!result.standardError.contains("planted"))
        #expect(try content.matches(fileAt: segdl.folder.path("file")))
        // Two refusals, and more than one connection.
        #expect(proxy.requests.count >= 4)
        for request in proxy.requests {
            #expect(request.method == "CONNECT")
            #expect(request.fields.all.allSatisfy { !$0.value.contains("planted") && $0.name != "X-Key" })
            #expect(request.fields["Authorization"] == nil && request.fields["Cookie"] == nil)
        }
    }

    @Test("A CONNECT that is refused: 407 is status 6, 403 is 8, 502 is tried again and 8", arguments: [407, 403, 502])
    func refusedConnect(status: Int) throws {
        let nginx = try NginxServer()
        defer { nginx.stop() }
        try nginx.makeFile("file", length: 1 * MiB, seed: 1)
        let proxy = try ProxyServer(ProxyScript { $0.refusesAlways = status })
        defer { proxy.stop() }
        let segdl = try SegdlBinary()
        let arguments = ["-x", "http://\(proxy.authority)", "--noproxy", "none", "--cacert", nginx.authorityPath]
        let result = try segdl.run(arguments + [nginx.secureURL("/file")])
        #expect(result.end == .exit(status == 407 ? 6 : 8), "\(result.standardError)")
        #expect(result.standardError.contains("proxy \(proxy.authority) answered \(status)"), "\(result.standardError)")
        #expect(!result.standardError.contains("own page"))
        #expect(status == 502 ? proxy.requests.count >= 4 : proxy.requests.count <= 2)
        #expect(try segdl.folder.names().isEmpty)
    }

    @Test("An HTTPS proxy is trusted by the same certificates, and refused where they are not given")
    func httpsProxy() throws {
        // nginx takes requests with a whole URL, and has the host from there.
        let directives = "location / { proxy_http_version 1.1; proxy_pass http://$http_host$uri; }"
        let nginx = try NginxServer(serverDirectives: directives)
        defer { nginx.stop() }
        let content = PatternContent(seed: 9, length: 1 * MiB)
        try FaultServer.run(["/file": Route(content)]) { server in
            let segdl = try SegdlBinary()
            let proxy = nginx.secureURL("").replacing("localhost", with: "127.0.0.1")
            let arguments = ["-x", proxy, "--noproxy", "none", server.url("/file")]
            let refused = try segdl.run(arguments)
            #expect(refused.end == .exit(5), "\(refused.standardError)")
            #expect(refused.standardError.contains("proxy"))
            let result = try segdl.run(["--cacert", nginx.authorityPath] + arguments)
            #expect(result.end == .exit(0), "\(result.standardError)")
            #expect(try content.matches(fileAt: segdl.folder.path("file")))
        }
    }
}
