import SegmentedDownload
import SegmentedDownloadTestSupport

extension ServerScenario {
    private static let okay = "HTTP/1.1 200 OK\r\n"
    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    private static let filler = String(repeating: "a", count: 900)

    /// A server of which every answer begins so, and goes on so for ever.
    private static func endless(
        _ name: String,
        _ head: String,
        _ repeated: String,
        _ kind: DownloadError.Kind = .protocol
    ) -> ServerScenario {
        ServerScenario(name, .failure(kind)) {
            Route($0) { $0.answer = .endless(head: head, repeated: repeated) }
        }
    }

    /// What has no end, or comes so slowly that it might as well have none.
    static let endless: [ServerScenario] = [
        endless("header fields without end", okay, "X-Field: \(filler)\r\n"),
        endless("the Location fields of 100,000 redirects", "HTTP/1.1 302 Found\r\n", "Location: /\(filler)\r\n"),
        endless("cookies without end", okay, "Set-Cookie: a=\(filler)\r\n"),
        endless("a header line without end", okay + "X-Field: ", filler),
        endless("a folded header line without end", okay + "X-Field: a\r\n", " a\r\n"),
        endless("a status line without end", "HTTP/1.1 200 ", filler),
        endless("interim answers without end (100)", "", "HTTP/1.1 100 Continue\r\n\r\n"),
        endless("interim answers without end (103)", "", "HTTP/1.1 103 Early Hints\r\nLink: </>\r\n\r\n"),
        endless("trailers without end", chunked + "5\r\nhello\r\n0\r\n", "X-Field: \(filler)\r\n"),
        endless("a trailer line without end", chunked + "5\r\nhello\r\n0\r\nX-Field: ", filler, .network),
        endless("a chunk size of digits without end", chunked, "0", .network),
        endless("a chunk extension without end", chunked + "5;", filler, .network),
        ServerScenario("redirects without end, each with cookies", .failure(.protocol)) { _ in
            Route(.bytes([])) {
                $0.redirect(to: "/file")
                for number in 0..<40 { $0.fields.add("Set-Cookie", "c\(number)=\(filler)\(filler)\(filler)") }
            }
        },
        ServerScenario("a part with trailers without end", .failure(.protocol)) { content in
            Route(content).script(.ranged) { behaviour, request in
                let start = request.range(length: content.length)?.lowerBound ?? 0
                behaviour.answer = .endless(
                    head: "HTTP/1.1 206 Partial Content\r\n"
                        + "Content-Range: bytes \(start)-\(start + 4)/\(content.length)\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n",
                    repeated: "X-Field: \(filler)\r\n"
                )
            }
        },
        ServerScenario("a head that comes byte by byte, each soon", .failure(.network)) {
            Route($0) { $0.headInterval = .milliseconds(30) }
        },
        ServerScenario("a HEAD's head that comes byte by byte") {
            Route($0).on(.heads) { $0.headInterval = .milliseconds(30) }
        },
    ]
}
