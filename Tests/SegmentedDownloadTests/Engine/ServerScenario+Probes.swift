import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport

extension ServerScenario {
    static let probes: [ServerScenario] =
        [
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
            ServerScenario("Accept-Ranges: none, and 500 to every range") {
                Route($0) { $0.acceptRanges = "none" }.on(.ranged) { $0.fail(500) }
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
            ServerScenario("416 to everything", .failure(.server)) { Route($0) { $0.status = 416 } },
            ServerScenario("416 to every GET, ranged or not", .failure(.server)) {
                Route($0).on(.gets) { $0.status = 416 }
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
            ServerScenario("an empty answer with a length of 0, and no ranges", length: 0) {
                Route($0) { $0.ranges = .ignored }.on(.heads) { $0.fail(405) }
            },
            ServerScenario("an empty answer that ends with its connection", length: 0) {
                Route($0) { ($0.framing, $0.ranges, $0.acceptRanges) = (.untilClose, .ignored, nil) }
            },
            ServerScenario("HEAD tells a shorter length") { Route($0).on(.heads) { $0.framing = .stated(300_000) } },
            ServerScenario("HEAD tells a longer length") { Route($0).on(.heads) { $0.framing = .stated(3_000_000) } },
            ServerScenario("HEAD tells a length that fits no Int64") {
                Route($0).on(.heads) { $0.fields["Content-Length"] = "18446744073709551615" }
            },
            ServerScenario("HEAD tells a negative length") {
                Route($0).on(.heads) { $0.fields["Content-Length"] = "-1" }
            },
            ServerScenario("HEAD tells another length, and there are no ranges") {
                Route($0) {
                    $0.ranges = .ignored
                    $0.acceptRanges = "none"
                }
                .on(.heads) { $0.framing = .stated(300_000) }
            },
            ServerScenario("HEAD speaks of an encoded form") {
                Route($0).on(.heads) {
                    $0.framing = .stated(12_345)
                    $0.fields["Content-Encoding"] = "gzip"
                }
            },
            ServerScenario("HEAD has an ETag of its own") { Route($0).on(.heads) { $0.etag = .strong("head") } },
            ServerScenario("HEAD refused with a Retry-After of a day") {
                Route($0).on(.heads) { $0.fail(503, retryAfter: "86400") }
            },
            ServerScenario("HEAD refused, and 400 to every range") {
                Route($0).on(.heads) { $0.fail(405) }.on(.ranged) { $0.fail(400) }
            },
            ServerScenario("HEAD refused, and 501 to every range") {
                Route($0).on(.heads) { $0.fail(405) }.on(.ranged) { $0.fail(501) }
            },
            ServerScenario("HEAD promises ranges, and each is answered 400") { Route($0).on(.ranged) { $0.fail(400) } },
            ServerScenario("HEAD promises ranges, and each is answered 501") { Route($0).on(.ranged) { $0.fail(501) } },
            ServerScenario("HEAD is answered 400") { Route($0).on(.heads) { $0.fail(400) } },
            ServerScenario("a GET without a range gets a part that nobody asked for") {
                Route($0) { $0.unrangedWindow = 0..<100_000 }
                    .on(.heads) { $0.fail(403) }
                    .on(.ranged, .first(1)) { $0.contentRange = .literal("bytes x") }
            },
            ServerScenario("only GETs without a range are answered, and with a part", .failure(.protocol)) {
                Route($0) {
                    $0.unrangedWindow = 0..<100_000
                    $0.ranges = .unsatisfiable
                }
                .on(.heads) { $0.fail(403) }
            },
            ServerScenario("only GETs without a range are answered, with a 206 of everything", .file(atMost: 2)) {
                Route($0) {
                    $0.unrangedWindow = 0..<1 * MiB
                    $0.ranges = .unsatisfiable
                }
            },
        ] + headLengths

    /// HEAD's length is wrong, and GET tells none.
    private static let headLengths: [ServerScenario] = [
        (300_000, "bytes"), (3_000_000, "bytes"), (300_000, "none"), (3_000_000, "none"),
    ]
    .map { length, ranges in
        ServerScenario("HEAD tells \(length) and ranges: \(ranges); GET is chunked without ranges", .file(atMost: 2)) {
            Route($0) {
                $0.acceptRanges = ranges
                ($0.framing, $0.ranges) = (.chunked, .ignored)
            }
            .on(.heads) { $0.framing = .stated(Int64(length)) }
        }
    }
}
