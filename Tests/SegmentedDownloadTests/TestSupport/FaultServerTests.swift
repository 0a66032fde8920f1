import Foundation
import SegmentedDownloadTestSupport
import Testing

/// The server as an honest one, and what it knows about its requests.
struct FaultServerTests {
    private let file = PatternContent(seed: 7, length: 3_000_000)

    @Test func `A file is served whole, with its length and validators`() throws {
        try FaultServer.run(["/file": Route(file)]) { server in
            let answer = try RawClient(port: server.port).get("/file?query=1")
            #expect(answer.status == 200)
            #expect(answer.body == file.bytes(in: 0..<file.length))
            #expect(answer.fields["Accept-Ranges"] == "bytes")
            #expect(answer.fields["ETag"]?.hasPrefix("\"") == true)
            #expect(answer.fields["Last-Modified"] == "Thu, 01 Jan 2026 00:00:00 GMT")
        }
    }

    @Test(arguments: [
        ("bytes=0-0", 0..<1), ("bytes=5-99", 5..<100), ("bytes=2999999-", 2_999_999..<3_000_000),
        ("bytes=-7", 2_999_993..<3_000_000), ("bytes=2999990-5000000", 2_999_990..<3_000_000),
    ])
    func `A range is served as a 206`(field: String, expected: Range<Int64>) throws {
        try FaultServer.run(["/file": Route(file)]) { server in
            let answer = try RawClient(port: server.port).get("/file", ["Range": field])
            #expect(answer.status == 206)
            #expect(answer.body == file.bytes(in: expected))
            let last = expected.upperBound - 1
            #expect(answer.fields["Content-Range"] == "bytes \(expected.lowerBound)-\(last)/3000000")
        }
    }

    @Test func `A range beyond the end is a 416 that tells the length`() throws {
        try FaultServer.run(["/file": Route(file)]) { server in
            let answer = try RawClient(port: server.port).get("/file", ["Range": "bytes=3000000-"])
            #expect(answer.status == 416)
            #expect(answer.fields["Content-Range"] == "bytes */3000000")
        }
    }

    @Test(arguments: ["bytes=a-b", "bytes=5-4", "bytes=0-1,4-5", "items=0-1", "bytes=0-9223372036854775807"])
    func `A Range field that is no single range is ignored`(field: String) throws {
        try FaultServer.run(["/file": Route(file)]) { server in
            let answer = try RawClient(port: server.port).get("/file", ["Range": field])
            #expect(answer.status == 200)
        }
    }

    @Test func `If-Range decides between the range and everything`() throws {
        try FaultServer.run(["/file": Route(file) { $0.etag = .strong("a") }]) { server in
            let client = try RawClient(port: server.port)
            for (validator, status) in [
                ("\"a\"", 206), ("\"b\"", 200), ("W/\"a\"", 200), ("Thu, 01 Jan 2026 00:00:00 GMT", 206),
                ("Fri, 02 Jan 2026 00:00:00 GMT", 200),
            ] {
                let answer = try client.get("/file", ["Range": "bytes=0-9", "If-Range": validator])
                #expect(answer.status == status, "\(validator)")
            }
        }
    }

    @Test func `HEAD has the fields of GET and no body`() throws {
        try FaultServer.run(["/file": Route(file)]) { server in
            let client = try RawClient(port: server.port)
            let head = try client.get("/file", method: "HEAD")
            let get = try client.get("/file")
            #expect(head.status == 200 && head.body.isEmpty && head.fields["Content-Length"] == "3000000")
            #expect(Set(head.fields.all.map(\.name)) == Set(get.fields.all.map(\.name)))
        }
    }

    @Test func `An unknown path is a 404, another method a 405`() throws {
        try FaultServer.run(["/file": Route(file)]) { server in
            let client = try RawClient(port: server.port)
            #expect(try client.get("/other").status == 404)
            #expect(try client.get("/file", method: "DELETE").status == 405)
        }
    }

    @Test func `Requests on one connection are logged with what they asked for and got`() throws {
        try FaultServer.run(["/file": Route(file)]) { server in
            let client = try RawClient(port: server.port)
            _ = try client.get("/file", method: "HEAD")
            _ = try client.get("/file?a=b", ["Range": "bytes=10-19", "X-Test": "yes"])
            _ = try RawClient(port: server.port).get("/file", ["Range": "bytes=2999999-"])
            let log = try server.settledLog()
            #expect(log.requests.map(\.method) == ["HEAD", "GET", "GET"])
            #expect(log.requests.map(\.target) == ["/file", "/file?a=b", "/file"])
            #expect(log.requests.map(\.range) == [nil, 10..<20, 2_999_999..<3_000_000])
            #expect(log.requests.map(\.connection) == [1, 1, 2])
            #expect(log.requests.map(\.numberOnConnection) == [1, 2, 1])
            #expect(log.requests.map(\.status) == [200, 206, 206])
            #expect(log.requests.map(\.bodyBytesSent) == [0, 10, 1])
            #expect(log.requests.map(\.end) == [.complete, .complete, .complete])
            #expect(log.requests[1].fields["x-test"] == "yes")
            #expect(log.bytesSent == 11 && log.connectionCount == 2)
        }
    }

    @Test func `Connections at the same time are counted`() throws {
        try FaultServer.run(["/file": Route(file)]) { server in
            var clients = try (0..<5).map { _ in try RawClient(port: server.port) }
            try server.waitUntil { $0.openConnectionCount == 5 }
            clients = []
            try server.waitUntil { $0.openConnectionCount == 0 }
            #expect(server.log.maximumConcurrentConnections == 5)
            #expect(clients.isEmpty)
        }
    }

    @Test func `A client that goes away in the middle is no failure of the server`() throws {
        let large = PatternContent(seed: 1, length: 1 << 30)
        try FaultServer.run(["/file": Route(large)]) { server in
            do {
                let client = try RawClient(port: server.port)
                try client.send("GET /file HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try client.receiveHead()
            }
            let log = try server.settledLog()
            #expect(log.requests[0].end == .closedByClient)
            #expect(log.requests[0].bodyBytesSent < large.length)
        }
    }

    @Test(arguments: [
        "GET /file HTTP/1.0\r\nHost: a\r\n\r\n", "GET file HTTP/1.1\r\nHost: a\r\n\r\n", "GET /file HTTP/1.1\r\n\r\n",
        "GET /file HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n",
        "GET /file HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx",
    ])
    func `A malformed request makes the server unhealthy`(text: String) throws {
        let server = try FaultServer(["/file": Route(file)])
        let client = try RawClient(port: server.port)
        try client.send(text)
        try server.waitUntil { !$0.failures.isEmpty }
        #expect(throws: TestSupportError.self) { try server.checkHealthy() }
        #expect(throws: TestSupportError.self) {
            try FaultServer.run(["/file": Route(file)]) { server in
                try RawClient(port: server.port).send(text)
                try server.waitUntil { !$0.failures.isEmpty }
            }
        }
    }

    @Test func `Waiting for what does not happen throws`() throws {
        let server = try FaultServer([:])
        #expect(throws: TestSupportError.self) {
            try server.waitUntil(timeout: .milliseconds(10)) { $0.connectionCount == 1 }
        }
    }

    @Test func `Stopping ends transfers, stalls and idle connections, and closes the port`() throws {
        let large = PatternContent(seed: 1, length: 1 << 30)
        let routes = ["/file": Route(large), "/stall": Route(large) { $0.stallAfter = 5 }]
        let server = try FaultServer(routes)
        let clients = try ["/file", "/stall"].map { path in
            let client = try RawClient(port: server.port)
            try client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
            return client
        }
        let idle = try RawClient(port: server.port)
        try server.waitUntil { $0.requestsUnderWay == 2 && $0.openConnectionCount == 3 }
        server.stop()
        #expect(server.log.openConnectionCount == 0)
        #expect(server.log.requests.map(\.end) == [.stopped, .stopped])
        // Another test's server may have the port by now.
        let late = try? RawClient(port: server.port)
        #expect(server.log.openConnectionCount == 0)
        try server.checkHealthy()
        withExtendedLifetime((clients, idle, late)) {}
    }
}
