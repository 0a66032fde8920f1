import Foundation
import SegmentedDownloadTestSupport
import Testing

/// That each fault is exactly what it says.
struct FaultServerFaultTests {
    private let file = PatternContent(seed: 7, length: 100_000)

    /// What a client gets for `bytes=1000-1999` where the behaviour is changed.
    private func ranged(_ change: (inout Behaviour) -> Void) throws -> RawClient.Answer {
        try FaultServer.run(["/file": Route(file, change)]) { server in
            try RawClient(port: server.port).get("/file", ["Range": "bytes=1000-1999"])
        }
    }

    @Test(arguments: [(Behaviour.Cut.Kind.close, RawClient.End.closed), (.reset, .reset)])
    func `A cut ends the connection after exactly so many bytes`(kind: Behaviour.Cut.Kind, end: RawClient.End) throws {
        let answer = try ranged { $0.cut = .after(300, by: kind) }
        #expect(answer.fields["Content-Length"] == "1000")
        #expect(answer.body == file.bytes(in: 1000..<1300))
        #expect(answer.end == end)
    }

    @Test func `Early hints come before the answer, trailers after its last chunk`() throws {
        try FaultServer.run([
            "/file": Route(file) {
                $0.earlyHints = ["Link": "<a>"]
                $0.framing = .chunked
                $0.trailers = ["ETag": "\"late\""]
            }
        ]) { server in
            let client = try RawClient(port: server.port)
            try client.send("GET /file HTTP/1.1\r\nHost: a\r\nRange: bytes=0-3\r\n\r\n")
            let hints = try client.receiveHead()
            #expect(hints.status == 103 && hints.fields["Link"] == "<a>")
            #expect(try client.receiveHead().status == 206)
            let end = "\r\n0\r\nETag: \"late\"\r\n\r\n"
            let body = try client.receive(7 + end.utf8.count).bytes
            #expect(body == Array("4\r\n".utf8) + file.bytes(in: 0..<4) + Array(end.utf8))
        }
    }

    @Test func `A cut is logged as the script's work`() throws {
        try FaultServer.run(["/file": Route(file) { $0.cut = .after(0) }]) { server in
            let answer = try RawClient(port: server.port).get("/file")
            #expect(answer.body.isEmpty && answer.end == .closed)
            let record = try server.settledLog().requests[0]
            #expect(record.end == .cutByScript && record.bodyBytesSent == 0 && record.status == 200)
        }
    }

    @Test func `A stalled body goes on when it is released, and later ones stall again`() throws {
        try FaultServer.run(["/file": Route(file) { $0.stallAfter = 400 }]) { server in
            let client = try RawClient(port: server.port)
            for _ in 1...2 {
                try client.send("GET /file HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try client.receiveHead()
                #expect(try client.receive(400).bytes == file.bytes(in: 0..<400))
                try server.waitUntil { $0.stalledCount == 1 }
                #expect(server.requests.last?.bodyBytesSent == 400)
                try server.release()
                #expect(try client.receive(99_600).bytes == file.bytes(in: 400..<100_000))
            }
        }
    }

    @Test func `A stall ends when the client closes`() throws {
        try FaultServer.run(["/file": Route(file) { $0.stallAfter = 0 }]) { server in
            do {
                let client = try RawClient(port: server.port)
                try client.send("GET /file HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try client.receiveHead()
            }
            let log = try server.settledLog()
            #expect(log.requests[0].end == .closedByClient && log.stalledCount == 0)
        }
    }

    @Test(arguments: [(Behaviour.Answer.close, RawClient.End.closed), (.reset, .reset)])
    func `A request can be answered by the connection's end`(answer: Behaviour.Answer, end: RawClient.End) throws {
        try FaultServer.run(["/file": Route(file) { $0.answer = answer }]) { server in
            let client = try RawClient(port: server.port)
            try client.send("GET /file HTTP/1.1\r\nHost: a\r\n\r\n")
            let all = try client.receive()
            #expect(all.bytes.isEmpty && all.end == end)
            let record = try server.settledLog().requests[0]
            #expect(record.status == nil && record.end == .cutByScript)
        }
    }

    @Test func `Silence lasts until the release`() throws {
        try FaultServer.run(["/file": Route(file) { $0.answer = .silence }]) { server in
            let client = try RawClient(port: server.port)
            try client.send("HEAD /file HTTP/1.1\r\nHost: a\r\n\r\n")
            try server.waitUntil { $0.stalledCount == 1 }
            try server.release()
            #expect(try client.receive().end == .closed)
        }
    }

    @Test func `A raw answer is sent as it stands`() throws {
        try FaultServer.run(["/raw": .raw("HTTP/9 what\r\n\r\nno")]) { server in
            let client = try RawClient(port: server.port)
            try client.send("GET /raw HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.receive().bytes == Array("HTTP/9 what\r\n\r\nno".utf8))
        }
    }

    @Test func `The window and its label can differ from what was asked`() throws {
        let short = try ranged { $0.window = .first(10) }
        #expect(short.fields["Content-Range"] == "bytes 1000-1009/100000")
        #expect(short.body == file.bytes(in: 1000..<1010))
        let shifted = try ranged { $0.window = .shifted(-500) }
        #expect(shifted.fields["Content-Range"] == "bytes 500-1499/100000")
        #expect(shifted.body == file.bytes(in: 500..<1500))
        let other = try ranged { $0.window = .exactly(0..<100_000) }
        #expect(other.fields["Content-Range"] == "bytes 0-99999/100000")
        #expect(other.body.count == 100_000)
    }

    @Test func `Content-Range can lie while the bytes are those asked for`() throws {
        let lies: [(Behaviour.ContentRange, String?)] = [
            (.missing, nil), (.shifted(8), "bytes 1008-2007/100000"), (.total(5), "bytes 1000-1999/5"),
            (.unknownTotal, "bytes 1000-1999/*"), (.literal("bytes what"), "bytes what"),
        ]
        for (lie, expected) in lies {
            let answer = try ranged { $0.contentRange = lie }
            #expect(answer.status == 206)
            #expect(answer.fields["Content-Range"] == expected)
            #expect(answer.body == file.bytes(in: 1000..<2000))
        }
    }

    @Test func `A ranged request can be answered 200, 416 or multipart`() throws {
        let whole = try ranged { $0.ranges = .ignored }
        #expect(whole.status == 200 && whole.body == file.bytes(in: 0..<100_000))
        #expect(try ranged { $0.ranges = .unsatisfiable }.status == 416)
        let multipart = try ranged { $0.ranges = .multipart }
        #expect(multipart.status == 206 && multipart.fields["Content-Range"] == nil)
        #expect(multipart.fields["Content-Type"] == "multipart/byteranges; boundary=SEGDL")
        #expect(multipart.body.contains(file.bytes(in: 1000..<2000)))
        #expect(multipart.body.suffix(11) == Array("--SEGDL--\r\n".utf8)[...])
    }

    @Test func `The body's end can be told by chunks, by the connection, or falsely`() throws {
        let chunked = try ranged { ($0.framing, $0.afterwards) = (.chunked, .close) }
        #expect(chunked.fields["Content-Length"] == nil)
        let chunk = Array("3e8\r\n".utf8) + file.bytes(in: 1000..<2000) + Array("\r\n".utf8)
        #expect(chunked.body == chunk + Array("0\r\n\r\n".utf8))
        #expect(try ranged { $0.framing = .chunkedUnfinished }.body == chunk)
        let open = try ranged { $0.framing = .untilClose }
        #expect(open.fields["Content-Length"] == nil && open.body.count == 1000 && open.end == .closed)
        let lie = try ranged { ($0.framing, $0.afterwards) = (.stated(2000), .close) }
        #expect(lie.fields["Content-Length"] == "2000" && lie.body.count == 1000 && lie.end == .closed)
    }

    @Test func `More bytes than promised follow the body`() throws {
        let route = Route(file) { ($0.surplusBytes, $0.afterwards) = (50, .close) }
        try FaultServer.run(["/file": route]) { server in
            let client = try RawClient(port: server.port)
            #expect(try client.get("/file").body == file.bytes(in: 0..<file.length))
            #expect(try client.receive().bytes == Array(repeating: 0x58, count: 50))
        }
    }

    @Test func `Fields can be replaced, added and left out`() throws {
        let answer = try ranged {
            $0.etag = .weak("w")
            $0.lastModified = nil
            $0.contentType = "text/html"
            $0.contentDisposition = "attachment; filename=x"
            $0.fields = ["Content-Encoding": "gzip", "Set-Cookie": "a=1", "Accept-Ranges": "none"]
            $0.fields.add("Set-Cookie", "b=2")
            $0.removedFields = ["Date"]
        }
        #expect(answer.fields["ETag"] == "W/\"w\"")
        #expect(answer.fields["Last-Modified"] == nil && answer.fields["Date"] == nil)
        #expect(answer.fields["Content-Type"] == "text/html")
        #expect(answer.fields["Content-Disposition"] == "attachment; filename=x")
        #expect(answer.fields["Content-Encoding"] == "gzip")
        #expect(answer.fields.values(of: "set-cookie") == ["a=1", "b=2"])
        #expect(answer.fields.values(of: "accept-ranges") == ["none"])
    }

    @Test func `Statuses, redirects and missing credentials are answered with their fields`() throws {
        let busy = try ranged { $0.fail(503, retryAfter: "7") }
        #expect(busy.status == 503 && busy.fields["Retry-After"] == "7" && busy.fields["Content-Range"] == nil)
        let moved = try ranged { $0.redirect(to: "/there", status: 307) }
        #expect(moved.status == 307 && moved.fields["Location"] == "/there")
        try FaultServer.run(["/file": Route(file) { $0.credentials = "user:pass word" }]) { server in
            let client = try RawClient(port: server.port)
            let refused = try client.get("/file")
            #expect(refused.status == 401 && refused.fields["WWW-Authenticate"] == "Basic realm=\"test\"")
            #expect(try client.get("/file", ["Authorization": "Basic dXNlcjpwYXNzIHdvcmQ="]).status == 200)
        }
    }

    @Test func `The connection can be closed after a complete answer, with and without a word`() throws {
        for (afterwards, field) in [(Behaviour.Afterwards.announcedClose, "close" as String?), (.close, nil)] {
            try FaultServer.run(["/file": Route(file) { $0.afterwards = afterwards }]) { server in
                let client = try RawClient(port: server.port)
                let answer = try client.get("/file")
                #expect(answer.body.count == 100_000 && answer.fields["Connection"] == field)
                #expect(try client.receive().end == .closed)
            }
        }
    }
}
