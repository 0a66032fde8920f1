import Foundation

extension ProxyConnection {
    /// Header lines of a proxy's own, which must never be read as the server's.
    private static let trap = "Content-Range: bytes 7-8/9\r\nETag: \"proxy\"\r\nSet-Cookie: proxy=trap\r\n"

    mutating func serveHTTP() throws {
        while let head = try receiveHead() {
            var lines = head.components(separatedBy: "\r\n")
            let words = lines.removeFirst().components(separatedBy: " ")
            guard words.count == 3 else { throw TestSupportError("a malformed request line") }
            let fields = try HTTPFields(lines: lines)
            log(words[0], words[1], fields)
            if let endless = script.endless {
                try client.sendEndlessly(head: endless.head, repeated: endless.repeated)
            } else if let status = try refusal(words[0], fields) {
                try refuse(status, hasBody: words[0] != "HEAD")
            } else if words[0] == "CONNECT" {
                return try tunnel(to: words[1])
            } else {
                try forward(words[0], words[1], fields)
            }
        }
    }

    private mutating func receiveHead() throws -> String? {
        while true {
            if let end = received.firstRange(of: [13, 10, 13, 10])?.upperBound {
                defer { received.removeFirst(end) }
                return String(decoding: received[..<end], as: UTF8.self)
            }
            do {
                try client.receive(into: &received)
            } catch is ClientSocket.Disconnected {
                return nil
            }
        }
    }

    /// The status that the proxy answers with by itself.
    private func refusal(_ method: String, _ fields: HTTPFields) throws -> Int? {
        if let credentials = script.credentials {
            let given = fields["Proxy-Authorization"] ?? ""
            let isRight =
                if script.wantsDigest {
                    try DigestAuthentication.accepts(given, method: method, credentials: credentials)
                } else {
                    given == "Basic " + Data(credentials.utf8).base64EncodedString()
                }
            guard isRight else { return 407 }
        }
        return state.withLock { $0.refusals.isEmpty ? nil : $0.refusals.removeFirst() } ?? script.refusesAlways
    }

    private var challenge: String {
        script.wantsDigest ? DigestAuthentication.challenge : "Basic realm=\"proxy\""
    }

    private func refuse(_ status: Int, hasBody: Bool) throws {
        let body = "<html>the proxy's own page</html>"
        let challenge = status == 407 ? "Proxy-Authenticate: \(self.challenge)\r\n" : ""
        let head = "HTTP/1.1 \(status) No\r\n\(challenge)\(Self.trap)Content-Length: \(body.utf8.count)\r\n\r\n"
        try client.sendAll(Array((head + (hasBody ? body : "")).utf8))
    }

    private mutating func tunnel(to target: String) throws {
        let upstream = try Upstream(target)
        self.upstream = upstream
        try client.sendAll(Array("HTTP/1.1 200 Connected\r\n\(Self.trap)\r\n".utf8))
        try upstream.socket.sendAll(received)
        try relay(upstream)
    }

    private mutating func forward(_ method: String, _ target: String, _ fields: HTTPFields) throws {
        guard target.hasPrefix("http://") else { throw TestSupportError("no whole URL: \(target)") }
        let rest = target.dropFirst("http://".count)
        let authority = String(rest.prefix { $0 != "/" })
        if upstream?.authority != authority {
            upstream?.close()
            upstream = nil
            let next = try Upstream(authority)
            next.startAnswering(client)
            upstream = next
        }
        var fields = fields
        for name in ["Proxy-Connection", "Proxy-Authorization"] + (script.stripsRange ? ["Range", "If-Range"] : []) {
            fields[name] = nil
        }
        let head = "\(method) \(rest.dropFirst(authority.count)) HTTP/1.1\r\n\(fields.wireText)\r\n"
        try upstream?.socket.sendAll(Array(head.utf8))
    }
}
