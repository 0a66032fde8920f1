import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

/// The limits that real servers set most: nginx's, by connections and by requests.
@Suite(.enabled(if: NginxServer.missing == nil, "\(NginxServer.missing ?? "")")) struct NginxLimitTests {
    @Test("limit_conn 3 with 503: eight connections become three, and the file is right", arguments: [503, 429, 403])
    func connections(status: Int) throws {
        let nginx = try NginxServer(
            serverDirectives: "limit_conn limit 3; limit_conn_status \(status); limit_rate 4m;",
            httpDirectives: "limit_conn_zone $server_port zone=limit:1m;"
        )
        defer { nginx.stop() }
        let content = try nginx.makeFile("file", length: 32 * MiB, seed: 5)
        let segdl = try SegdlBinary()
        let result = try segdl.run(["-j", "8", nginx.url("/file")])
        #expect(result.end == .exit(0), "\(result.standardError)")
        #expect(try content.matches(fileAt: segdl.folder.path("file")))
        let notes = result.standardError.split(separator: "\n").filter { $0.contains("connections at once") }
        #expect(notes.count == 1 && notes[0].contains("The server bears 3 connections at once"), "\(notes)")
        let refused = try nginx.accessLog { $0.contains { $0.status == 206 } }.filter { $0.status == status }
        #expect((5...16).contains(refused.count), "\(refused.count)")
    }

    @Test("limit_req with 429 and no Retry-After: the file is right")
    func requests() throws {
        let nginx = try NginxServer(
            serverDirectives: "location /file { limit_req zone=limit burst=4 nodelay; limit_req_status 429; }",
            httpDirectives: "limit_req_zone $server_port zone=limit:1m rate=10r/s;"
        )
        defer { nginx.stop() }
        let content = try nginx.makeFile("file", length: 4 * MiB, seed: 6)
        let segdl = try SegdlBinary()
        // No shorter than what the limit needs for one request: it is asked again as often as the wait allows.
        let result = try segdl.run(["-j", "8", "--request-size", "256K", "--retry-wait", "0.1", nginx.url("/file")])
        #expect(result.end == .exit(0), "\(result.standardError)")
        #expect(try content.matches(fileAt: segdl.folder.path("file")))
        let log = try nginx.accessLog { $0.count { $0.status == 206 } >= 16 }
        #expect(log.contains { $0.status == 429 })
        // 16 parts are asked for: what is refused meanwhile is a fraction, and no storm.
        #expect(log.count { $0.status == 429 } <= 48, "\(log.count)")
    }
}
