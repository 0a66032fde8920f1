import Foundation
import SegmentedDownloadTestSupport
import Testing

/// When rules hold, and the limits that span requests and connections.
struct FaultServerScriptTests {
    private let file = PatternContent(seed: 7, length: 1000)

    /// The statuses of six requests, alternately HEAD and GET of `bytes=N-`, on one connection.
    private func statuses(_ route: Route) throws -> [Int] {
        try FaultServer.run(["/file": route]) { server in
            let client = try RawClient(port: server.port)
            return try (0..<6).map { number in
                let isHead = number.isMultiple(of: 2)
                let fields: HTTPFields = isHead ? [:] : ["Range": "bytes=\(number)-"]
                return try client.get("/file", fields, method: isHead ? "HEAD" : "GET").status
            }
        }
    }

    @Test func `Rules hold for the requests and turns that they name`() throws {
        let route = Route(file)
        #expect(try statuses(route) == [200, 206, 200, 206, 200, 206])
        #expect(try statuses(route.on(.heads) { $0.fail(405) }) == [405, 206, 405, 206, 405, 206])
        #expect(try statuses(route.on(.gets, .first(2)) { $0.fail(503) }) == [200, 503, 200, 503, 200, 206])
        #expect(try statuses(route.on(.ranged, .after(1)) { $0.fail(503) }) == [200, 206, 200, 503, 200, 503])
        #expect(try statuses(route.on(.all, .numbers([1, 4])) { $0.fail(503) }) == [503, 206, 200, 503, 200, 206])
        #expect(try statuses(route.on(.covering(2)) { $0.fail(503) }) == [200, 503, 200, 206, 200, 206])
        #expect(try statuses(route.on(.beginning(at: 3)) { $0.fail(503) }) == [200, 206, 200, 503, 200, 206])
        #expect(try statuses(route.on(.onEachConnection(5)) { $0.fail(503) }) == [200, 206, 200, 206, 503, 206])
        #expect(try statuses(route.on(.onConnections([2])) { $0.fail(503) }) == [200, 206, 200, 206, 200, 206])
        let both = route.on(.withField("range").and(.covering(1)), .first(1)) { $0.fail(503) }
        #expect(try statuses(both) == [200, 503, 200, 206, 200, 206])
    }

    @Test func `A later rule wins, and a script sees the request`() throws {
        let route = Route(file).on(.all) { $0.fail(500) }
            .script(.gets) { behaviour, request in behaviour.status = request.range(length: 9) == 1..<9 ? nil : 429 }
        #expect(try statuses(route) == [500, 206, 500, 429, 500, 429])
    }

    @Test func `A rule can change the resource, and its validator with it`() throws {
        let changed = PatternContent(seed: 8, length: 1000)
        let route = Route(file).on(.all, .after(1)) { $0.content = .pattern(changed) }
        try FaultServer.run(["/file": route]) { server in
            let client = try RawClient(port: server.port)
            let answers = try (0..<2).map { _ in try client.get("/file") }
            #expect(answers[1].body == changed.bytes(in: 0..<1000))
            #expect(answers[0].fields["ETag"] != answers[1].fields["ETag"])
        }
    }

    @Test func `ETags can take turns`() throws {
        try FaultServer.run(["/file": Route(file) { $0.etag = .rotating(["a", "b"]) }]) { server in
            let client = try RawClient(port: server.port)
            let etags = try (0..<3).map { _ in try client.get("/file").fields["ETag"] }
            #expect(etags == ["\"a\"", "\"b\"", "\"a\""])
        }
    }

    @Test func `A replaced route counts anew`() throws {
        let route = Route(file).on(.all, .first(1)) { $0.fail(503) }
        try FaultServer.run(["/file": route]) { server in
            let client = try RawClient(port: server.port)
            #expect(try [client.get("/file").status, client.get("/file").status] == [503, 200])
            server.setRoute("/file", route)
            #expect(try client.get("/file").status == 503)
        }
    }

    @Test func `Requests beyond the limit of a route are refused while others are under way`() throws {
        let route = Route(file) { ($0.maximumConcurrentRequests, $0.stallAfter) = (1, 10) }
        try FaultServer.run(["/file": route]) { server in
            let first = try RawClient(port: server.port)
            let second = try RawClient(port: server.port)
            try first.send("GET /file HTTP/1.1\r\nHost: a\r\n\r\n")
            try server.waitUntil { $0.stalledCount == 1 }
            server.log.requests.forEach { #expect($0.end == .underWay) }
            #expect(try second.get("/file", ["Range": "bytes=0-4"]).status == 503)
            try server.release()
            _ = try server.settledLog()
            #expect(try second.get("/file", ["Range": "bytes=0-4"]).status == 206)
        }
    }

    @Test func `Connections beyond the server's limit are reset`() throws {
        try FaultServer.run(["/file": Route(file)], maximumConnections: 1) { server in
            let first = try RawClient(port: server.port)
            #expect(try first.get("/file").status == 200)
            let second = try RawClient(port: server.port)
            #expect(try second.receive().end == .reset)
            #expect(try first.get("/file").status == 200)
            #expect(server.log.connectionCount == 1 && server.log.refusedConnectionCount == 1)
        }
    }

    @Test func `The rate holds for a connection, however many requests it carries`() throws {
        let content = PatternContent(seed: 1, length: 100_000)
        // 100,000 bytes take a second at least, in one request or in ten: an upper bound would be a matter of luck.
        let route = Route(content) { $0.bytesPerSecond = 100_000 }
        try FaultServer.run(["/file": route]) { server in
            for requestCount in [Int64(1), 10] {
                let client = try RawClient(port: server.port)
                let size = content.length / requestCount
                let start = ContinuousClock.now
                for number in 0..<requestCount {
                    let field = "bytes=\(number * size)-\((number + 1) * size - 1)"
                    #expect(try client.get("/file", ["Range": field]).body.count == size)
                }
                #expect(.now - start >= .seconds(1))
            }
        }
    }

    @Test func `The rate of one connection takes nothing from another's`() throws {
        let content = PatternContent(seed: 1, length: 50_000)
        try FaultServer.run(["/file": Route(content) { $0.bytesPerSecond = 50_000 }]) { server in
            let clients = try (0..<10).map { _ in try RawClient(port: server.port) }
            for client in clients { try client.send("GET /file HTTP/1.1\r\nHost: a\r\n\r\n") }
            let start = ContinuousClock.now
            for client in clients {
                _ = try client.receiveHead()
                #expect(try client.receive(50_000).bytes.count == 50_000)
            }
            // One second together; ten if they shared a bucket.
            #expect(.now - start < .seconds(9))
        }
    }

    @Test func `The delay comes before the head`() throws {
        try FaultServer.run(["/file": Route(file) { $0.delay = .milliseconds(200) }]) { server in
            let start = ContinuousClock.now
            _ = try RawClient(port: server.port).get("/file")
            #expect(.now - start >= .milliseconds(200))
        }
    }
}
