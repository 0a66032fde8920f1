import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

/// TLS handshakes that come to nothing (wild.md 44, 45: aria2#1399, aria2#1739).
@Suite(.enabled(if: NginxServer.missing == nil, "nginx is not installed")) struct NginxHandshakeTests {
    @Test("A handshake that falls silent, of the probe or of a part, is tried again", arguments: [[1], [2, 4]])
    func silent(tunnels: [Int]) throws {
        let nginx = try NginxServer()
        defer { nginx.stop() }
        let content = try nginx.makeFile("file", length: 8 * MiB, seed: 1)
        let proxy = try ProxyServer(
            ProxyScript { $0.deadTunnels = Dictionary(uniqueKeysWithValues: tunnels.map { ($0, 100) }) }
        )
        defer { proxy.stop() }
        let segdl = try SegdlBinary()
        let result = try segdl.run([
            "-j", "4", "-x", "http://\(proxy.authority)", "--noproxy", "none", "--connect-timeout", "0.5",
            "--cacert", nginx.authorityPath, nginx.secureURL("/file"),
        ])
        #expect(result.end == .exit(0), "\(result.standardError)")
        #expect(try content.matches(fileAt: segdl.folder.path("file")))
    }

    @Test(
        "A handshake that is broken off, and a body that ends without a goodbye, are tried again",
        arguments: [[1: 0, 3: 0], [2: 300_000, 4: 100_000], [1: 0, 2: 0, 3: 200_000]],
        [false, true]
    )
    func cut(tunnels: [Int: Int], isReset: Bool) throws {
        let nginx = try NginxServer()
        defer { nginx.stop() }
        let content = try nginx.makeFile("file", length: 8 * MiB, seed: 1)
        let proxy = try ProxyServer(
            ProxyScript {
                $0.cutTunnels = tunnels
                $0.resetsCutTunnels = isReset
            }
        )
        defer { proxy.stop() }
        let segdl = try SegdlBinary()
        let result = try segdl.run([
            "-j", "4", "-x", "http://\(proxy.authority)", "--noproxy", "none", "--cacert", nginx.authorityPath,
            nginx.secureURL("/file"),
        ])
        #expect(result.end == .exit(0), "\(result.standardError)")
        #expect(try content.matches(fileAt: segdl.folder.path("file")))
    }
}
