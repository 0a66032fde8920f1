import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

@Suite(.enabled(if: NginxServer.missing == nil, "nginx is not installed")) struct NginxTests {
    @Test("nginx, HTTP and HTTPS: every length at the edges, with 1, 8 and 64 connections, gives the right file")
    func lengths() throws {
        let nginx = try NginxServer()
        defer { nginx.stop() }
        let lengths: [Int64] = [0, 1, 262_143, 262_144, 262_145, 20 * MiB + 7]
        for (number, length) in lengths.enumerated() {
            let content = try nginx.makeFile("f\(number)", length: length, seed: UInt64(number))
            for jobs in [1, 8, 64] {
                for url in [nginx.url("/f\(number)"), nginx.secureURL("/f\(number)")] {
                    let segdl = try SegdlBinary()
                    let result = try segdl.run(["-j", "\(jobs)", "--cacert", nginx.authorityPath, url])
                    #expect(result.end == .exit(0), "\(result.standardError)")
                    #expect(try content.matches(fileAt: segdl.folder.path("f\(number)")))
                    #expect(try segdl.folder.names() == ["f\(number)"])
                }
            }
        }
    }

    @Test("TLS sessions are resumed from one connection to the next, over all workers")
    func resumedSessions() throws {
        let nginx = try NginxServer()
        defer { nginx.stop() }
        let content = try nginx.makeFile("file", length: 64 * MiB, seed: 1)
        let segdl = try SegdlBinary()
        let result = try segdl.run(["-q", "-j", "8", "--cacert", nginx.authorityPath, nginx.secureURL("/file")])
        #expect(result.end == .exit(0))
        #expect(try content.matches(fileAt: segdl.folder.path("file")))
        let log = try nginx.accessLog { $0.count >= 9 }
        let full = Set(log.filter { $0.isTLSSessionReused == false }.map(\.connection))
        // A connection that begins before a ticket has come can't use it: on a busy machine more than the first are full.
        #expect(full.count < Set(log.map(\.connection)).count)
    }

    @Test("A certificate that is not trusted ends with 5 and leaves nothing; -k takes it")
    func untrusted() throws {
        let nginx = try NginxServer()
        defer { nginx.stop() }
        try nginx.makeFile("file", length: 100, seed: 1)
        let segdl = try SegdlBinary()
        let refused = try segdl.run([nginx.secureURL("/file")])
        #expect(refused.end == .exit(5))
        // It would be no better the next time.
        #expect(!refused.standardError.contains("Tried"), "\(refused.standardError)")
        #expect(try segdl.folder.names().isEmpty)
        #expect(try segdl.run(["-k", nginx.secureURL("/file")]).end == .exit(0))
    }
}
