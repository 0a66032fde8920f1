import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport

extension ServerScenario {
    static let failures: [ServerScenario] = [
        ServerScenario("404", .failure(.server)) { Route($0) { $0.fail(404) } },
        ServerScenario("403", .failure(.server)) { Route($0) { $0.fail(403) } },
        ServerScenario("401", .failure(.authentication)) { Route($0) { $0.fail(401) } },
        ServerScenario("501", .failure(.server)) { Route($0) { $0.fail(501) } },
        ServerScenario("503 for ever", .failure(.server)) { Route($0) { $0.fail(503) } },
        ServerScenario("503 at first") { Route($0).on(.all, .first(3)) { $0.fail(503) } },
        ServerScenario("429 for some ranges at first") { Route($0).on(.ranged, .numbers([2, 3, 5])) { $0.fail(429) } },
        ServerScenario("one range is 500 for ever", .failure(.server)) {
            Route($0).on(.covering(500_000)) { $0.fail(500) }
        },
        ServerScenario("one range is 404", .failure(.server)) { Route($0).on(.covering(500_000)) { $0.fail(404) } },
        ServerScenario("Retry-After of a day", .failure(.server)) {
            Route($0).on(.ranged) { $0.fail(503, retryAfter: "86400") }
        },
        ServerScenario("no connection answers", .failure(.network)) { Route($0) { $0.answer = .close } },
        ServerScenario("all bodies stall at once", .failure(.network)) { Route($0).on(.gets) { $0.stallAfter = 0 } },
        ServerScenario("an encoded body", .failure(.protocol)) {
            Route($0).on(.gets) { $0.fields["Content-Encoding"] = "gzip" }
        },
        ServerScenario("an encoded body, of which HEAD tells", .failure(.protocol)) {
            Route($0) { $0.fields["Content-Encoding"] = "gzip" }
        },
        ServerScenario("a stream that is always cut", .failure(.network)) {
            Route($0) {
                $0.ranges = .ignored
                $0.acceptRanges = "none"
            }
            .on(.gets) { $0.cut = .after(600_000) }
        },
        ServerScenario("an answer that is no HTTP", .failure(.protocol)) { _ in .raw("SSH-2.0-OpenSSH\r\n") },
        ServerScenario("a redirect to itself", .failure(.protocol)) { _ in .redirect(to: "/file") },
        ServerScenario("a redirect to a file", .failure(.protocol)) { _ in .redirect(to: "file:///etc/passwd") },
        ServerScenario("a redirect without a location", .failure(.protocol)) { Route($0) { $0.status = 302 } },
        ServerScenario("a length beyond Int64", .failure(.protocol)) {
            Route($0) { $0.fields["Content-Length"] = "99999999999999999999" }
        },
        ServerScenario("a negative length", .failure(.protocol)) {
            Route($0) { $0.fields["Content-Length"] = "-1" }
        },
        ServerScenario("the longest length that there is", .failure(.localFile)) {
            Route($0) { $0.fields["Content-Length"] = "9223372036854775807" }
        },
        ServerScenario("the longest length that there is, in Content-Range alone", .failure(.localFile)) {
            Route($0) { $0.contentRange = .total(.max) }.on(.heads) { $0.fail(405) }
        },
        ServerScenario("two lengths that differ", .failure(.protocol)) {
            Route($0) { $0.fields["Content-Length"] = "1048576, 5" }
        },
    ]

    static let identity: [ServerScenario] = [
        ServerScenario("no validators", .parts(atMost: 1.2)) {
            Route($0) {
                $0.etag = .none
                $0.lastModified = nil
            }
        },
        ServerScenario("a weak ETag", .parts(atMost: 1.2)) { Route($0) { $0.etag = .weak("x") } },
        ServerScenario("an ETag on some answers only", .parts(atMost: 1.2)) {
            Route($0).on(.ranged, .numbers([2, 4])) { $0.etag = .none }
        },
        ServerScenario("a total that is nearer than the range", .file(atMost: 2.2)) {
            Route($0).on(.ranged) { $0.contentRange = .total(999) }
        },
        ServerScenario("another ETag on one answer only", .parts(atMost: 1.2)) {
            Route($0).on(.ranged, .numbers([3])) { $0.etag = .strong("odd") }
        },
        ServerScenario("a login page on one answer only", .parts(atMost: 1.2)) {
            Route($0).on(.ranged, .numbers([3])) {
                $0.contentType = "text/html"
                $0.etag = .none
                $0.lastModified = nil
            }
        },
        ServerScenario("a login page for one range", .failure(.protocol)) {
            Route($0).on(.covering(500_000)) {
                $0.contentType = "text/html"
                $0.etag = .none
                $0.lastModified = nil
            }
        },
        ServerScenario("an ETag that takes turns", .parts(atMost: 1.2)) {
            Route($0) { $0.etag = .rotating(["node1", "node2"]) }
        },
        ServerScenario("an ETag of its own for each answer", .parts(atMost: 1.2)) {
            Route($0) { $0.etag = .rotating((0..<500).map { "v\($0)" }) }
        },
        ServerScenario("an ETag that takes turns, and no date", .file(atMost: 2.2)) {
            Route($0) {
                $0.lastModified = nil
                $0.etag = .rotating(["node1", "node2"])
            }
        },
        ServerScenario("an ETag of its own for each answer, and no date", .file(atMost: 2.2)) {
            Route($0) {
                $0.lastModified = nil
                $0.etag = .rotating((0..<500).map { "v\($0)" })
            }
        },
        ServerScenario("an ETag of its own for each answer, and no date, where If-Range is ignored", .file(atMost: 2.2))
        {
            Route($0) {
                $0.lastModified = nil
                $0.ifRange = .ignored
                $0.etag = .rotating((0..<500).map { "v\($0)" })
            }
        },
        ServerScenario("parts without validators", .parts(atMost: 1.2)) {
            Route($0).on(.ranged) {
                $0.etag = .none
                $0.lastModified = nil
            }
        },
        ServerScenario("another ETag on one answer, and no other validator", .parts(atMost: 1.2)) {
            Route($0) { $0.lastModified = nil }.on(.ranged, .numbers([3])) { $0.etag = .strong("odd") }
        },
    ]
}
