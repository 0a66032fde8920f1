import Foundation
import SegmentedDownloadTestSupport
import Testing

@Suite(.enabled(if: NginxServer.missing == nil, "\(NginxServer.missing ?? "")"))
struct NginxServerTests {
    @Test func `nginx serves a file with ranges over HTTP, and logs it`() throws {
        let nginx = try NginxServer(serverDirectives: "location /busy { return 503; }")
        let content = try nginx.makeFile("file name", length: 200_000, seed: 5)
        let client = try RawClient(port: nginx.port)
        let part = try client.get("/file%20name", ["Range": "bytes=1000-1999"])
        #expect(part.status == 206 && part.body == content.bytes(in: 1000..<2000))
        #expect(try client.get("/file%20name").body == content.bytes(in: 0..<200_000))
        #expect(try client.get("/busy").status == 503)
        let entries = try nginx.accessLog { $0.count == 3 }
        #expect(entries.map(\.path) == ["/file name", "/file name", "/busy"])
        #expect(entries.map(\.range) == [1000..<2000, nil, nil])
        #expect(entries.map(\.status) == [206, 200, 503])
        #expect(entries.prefix(2).map(\.bodyBytesSent) == [1000, 200_000])
        #expect(Set(entries.map(\.connection)).count == 1)
        #expect(entries.allSatisfy { $0.isTLSSessionReused == nil })
    }

    @Test(arguments: ["1.2", "1.3"]) func `nginx serves over TLS with a certificate of the test's own`(
        version: String
    ) throws {
        let nginx = try NginxServer(workers: 1)
        try nginx.makeFile("file", length: 1000, seed: 5)
        // s_client instead of curl: it is there wherever the certificates could be made.
        let arguments = ["s_client", "-quiet", "-verify_return_error", "-CAfile", nginx.authorityPath]
        let version = version == "1.2" ? "-tls1_2" : "-tls1_3"
        let target = ["-connect", "127.0.0.1:\(nginx.securePort)", "-servername", "localhost", "-verify_hostname"]
        let child = try ChildProcess.start("openssl", arguments + [version] + target + ["localhost"])
        try child.writeInput("HEAD /file HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        #expect(try child.wait().standardOutput.hasPrefix("HTTP/1.1 200 OK"))
        let entries = try nginx.accessLog { $0.count == 1 }
        #expect(entries[0].isTLSSessionReused == false)
    }

    @Test func `A configuration that nginx refuses is an error with its words`() throws {
        let error = #expect(throws: TestSupportError.self) { try NginxServer(serverDirectives: "no_such_thing on;") }
        #expect(error?.description.contains("no_such_thing") == true)
    }

    @Test func `A stopped nginx no longer listens`() throws {
        let nginx = try NginxServer(workers: 2)
        nginx.stop()
        #expect(throws: TestSupportError.self) { try RawClient(port: nginx.port) }
    }
}
