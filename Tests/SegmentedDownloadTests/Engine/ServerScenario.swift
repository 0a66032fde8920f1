import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport

/// How a server behaves, and what must come of it.
struct ServerScenario: Sendable, CustomStringConvertible {
    enum Expectation: Sendable {
        /// The right file, with at most so many times its size in body bytes received.
        case file(atMost: Double)
        /// A failure of this kind, NAME never there.
        case failure(DownloadError.Kind)
    }

    let name: String
    var expected = Expectation.file(atMost: 1.2)
    var length = 1 * MiB
    let route: @Sendable (PatternContent) -> Route

    var description: String { name }

    init(
        _ name: String,
        _ expected: Expectation = .file(atMost: 1.2),
        length: Int64 = 1 * MiB,
        _ route: @escaping @Sendable (PatternContent) -> Route
    ) {
        self.name = name
        self.expected = expected
        self.length = length
        self.route = route
    }
}

extension ServerScenario {
    static let all = probes + ranges + bodies + failures + identity

    static let probes: [ServerScenario] = [
        ServerScenario("an honest server") { Route($0) },
        ServerScenario("HEAD is refused with 403") { Route($0).on(.heads) { $0.fail(403) } },
        ServerScenario("HEAD is refused with 405") { Route($0).on(.heads) { $0.fail(405) } },
        ServerScenario("HEAD is refused with 501") { Route($0).on(.heads) { $0.fail(501) } },
        ServerScenario("HEAD is answered 404") { Route($0).on(.heads) { $0.fail(404) } },
        ServerScenario("HEAD closes the connection") { Route($0).on(.heads) { $0.answer = .close } },
        ServerScenario("HEAD resets the connection") { Route($0).on(.heads) { $0.answer = .reset } },
        ServerScenario("HEAD gets no answer") { Route($0).on(.heads) { $0.answer = .silence } },
        ServerScenario("HEAD tells no length") { Route($0).on(.heads) { $0.framing = .untilClose } },
        ServerScenario("HEAD tells a length of 0") { Route($0).on(.heads) { $0.framing = .stated(0) } },
        ServerScenario("ranges are not advertised but work") { Route($0) { $0.acceptRanges = nil } },
        ServerScenario("ranges are not advertised and don't work") {
            Route($0) {
                $0.acceptRanges = nil
                $0.ranges = .ignored
            }
        },
        ServerScenario("Accept-Ranges: none") {
            Route($0) {
                $0.acceptRanges = "none"
                $0.ranges = .ignored
            }
        },
        ServerScenario("the length stands only in Content-Range") {
            Route($0) { $0.framing = .chunked }
        },
        ServerScenario("no length and no ranges, chunked") {
            Route($0) {
                $0.framing = .chunked
                $0.ranges = .ignored
                $0.acceptRanges = nil
            }
        },
        ServerScenario("no length and no ranges, until the connection closes") {
            Route($0) {
                $0.framing = .untilClose
                $0.ranges = .ignored
                $0.acceptRanges = nil
            }
        },
        ServerScenario("an empty file", length: 0) { Route($0) },
        ServerScenario("one byte", length: 1) { Route($0) },
        ServerScenario("one byte less than a segment", length: 64 * KiB - 1) { Route($0) },
        ServerScenario("one segment", length: 64 * KiB) { Route($0) },
        ServerScenario("one byte more than a segment", length: 64 * KiB + 1) { Route($0) },
        ServerScenario("HEAD refused and the file smaller than the probe", length: 1000) {
            Route($0).on(.heads) { $0.fail(403) }
        },
        ServerScenario("HEAD refused, and an unknown total in the answer to the probe", .file(atMost: 2)) {
            Route($0) { $0.contentRange = .unknownTotal }.on(.heads) { $0.fail(405) }
        },
        ServerScenario("HEAD refused, and 416 to every range", .file(atMost: 2)) {
            Route($0) { $0.ranges = .unsatisfiable }.on(.heads) { $0.fail(405) }
        },
        ServerScenario("an empty chunked answer to a GET that HEAD did not announce", length: 0) {
            Route($0) {
                $0.framing = .chunked
                $0.ranges = .ignored
            }
            .on(.heads) { $0.fail(405) }
        },
        ServerScenario("an empty file of which HEAD says nothing", length: 0) {
            Route($0).on(.heads) { $0.framing = .untilClose }
        },
    ]

    static let ranges: [ServerScenario] = [
        ServerScenario("200 to every ranged request", .file(atMost: 2.2)) { Route($0) { $0.ranges = .ignored } },
        ServerScenario("200 to ranged requests past 0", .file(atMost: 2.2)) {
            Route($0).on(.ranged.and(.beginning(at: 0).inverted)) { $0.ranges = .ignored }
        },
        ServerScenario("short windows") { Route($0) { $0.window = .first(10_000) } },
        ServerScenario("a window from another place, once") {
            Route($0).on(.covering(300_000), .first(1)) { $0.window = .shifted(-65_536) }
        },
        ServerScenario("always a window from another place", .file(atMost: 3)) {
            Route($0).on(.covering(300_000)) { $0.window = .shifted(-65_536) }
        },
        ServerScenario("a Content-Range that is shifted, always", .file(atMost: 3)) {
            Route($0).on(.covering(300_000)) { $0.contentRange = .shifted(1) }
        },
        ServerScenario("no Content-Range", .file(atMost: 3)) { Route($0) { $0.contentRange = .missing } },
        ServerScenario("a Content-Range that makes no sense", .file(atMost: 3)) {
            Route($0) { $0.contentRange = .literal("bytes 0--1/x") }
        },
        ServerScenario("Content-Range with an unknown total") { Route($0) { $0.contentRange = .unknownTotal } },
        ServerScenario("a multipart answer", .file(atMost: 2.2)) { Route($0) { $0.ranges = .multipart } },
        ServerScenario("more bytes than promised, chunked", .failure(.protocol)) {
            Route($0) {
                $0.framing = .chunked
                $0.surplusBytes = 1000
            }
            .on(.heads) { $0.framing = .length }
        },
        ServerScenario("200 to its own If-Range validator", .file(atMost: 2.2)) {
            Route($0) { $0.ifRange = .alwaysDiffers }
        },
    ]

    static let bodies: [ServerScenario] = [
        ServerScenario("each body is cut after 40 kB, by FIN") { Route($0).on(.gets) { $0.cut = .after(40_000) } },
        ServerScenario("each body is cut after 40 kB, by RST") {
            Route($0).on(.gets) { $0.cut = .after(40_000, by: .reset) }
        },
        ServerScenario("one body is cut in the middle") {
            Route($0).on(.covering(500_000), .first(2)) { $0.cut = .after(20_000) }
        },
        ServerScenario("a chunked body without its end, once") {
            Route($0).on(.ranged, .first(1)) { $0.framing = .chunkedUnfinished }
        },
        ServerScenario("one connection stalls for good") {
            Route($0).on(.covering(500_000), .first(1)) { $0.stallAfter = 20_000 }
        },
        ServerScenario("one request gets no answer") {
            Route($0).on(.covering(500_000), .first(1)) { $0.answer = .silence }
        },
        ServerScenario("the connection closes after each answer") { Route($0) { $0.afterwards = .close } },
        ServerScenario("Connection: close after each answer") { Route($0) { $0.afterwards = .announcedClose } },
        ServerScenario("a stream of known length is cut once", .file(atMost: 2)) {
            Route($0) {
                $0.ranges = .ignored
                $0.acceptRanges = "none"
            }
            .on(.gets, .first(1)) { $0.cut = .after(600_000) }
        },
        ServerScenario("a stream of unknown length is cut once", .file(atMost: 2)) {
            Route($0) {
                $0.framing = .chunked
                $0.ranges = .ignored
                $0.acceptRanges = "none"
            }
            .on(.gets, .first(1)) {
                $0.framing = .chunkedUnfinished
                $0.cut = .after(600_000)
            }
        },
    ]

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
    ]

    static let identity: [ServerScenario] = [
        ServerScenario("no validators") {
            Route($0) {
                $0.etag = .none
                $0.lastModified = nil
            }
        },
        ServerScenario("a weak ETag") { Route($0) { $0.etag = .weak("x") } },
        ServerScenario("an ETag on some answers only") { Route($0).on(.ranged, .numbers([2, 4])) { $0.etag = .none } },
        ServerScenario("a total that is nearer than the range", .file(atMost: 2.2)) {
            Route($0).on(.ranged) { $0.contentRange = .total(999) }
        },
        ServerScenario("another ETag on one answer only") {
            Route($0).on(.ranged, .numbers([3])) { $0.etag = .strong("odd") }
        },
        ServerScenario("a login page on one answer only") {
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
    ]
}

extension Requests {
    var inverted: Requests {
        let matches = self
        return .matching { !matches.contains($0) }
    }
}
