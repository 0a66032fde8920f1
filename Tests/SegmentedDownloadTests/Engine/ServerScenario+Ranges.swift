import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport

extension ServerScenario {
    static let ranges: [ServerScenario] = [
        ServerScenario("200 to every ranged request", .file(atMost: 2.2)) { Route($0) { $0.ranges = .ignored } },
        ServerScenario("200 to ranged requests past 0", .file(atMost: 2.2)) {
            Route($0).on(.ranged.and(.beginning(at: 0).inverted)) { $0.ranges = .ignored }
        },
        ServerScenario("short windows", .parts(atMost: 1.2)) { Route($0) { $0.window = .first(10_000) } },
        ServerScenario("a window from another place, once", .parts(atMost: 1.2)) {
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
        ServerScenario("200 to its own If-Range validator", .parts(atMost: 1.2)) {
            Route($0) { $0.ifRange = .alwaysDiffers }
        },
        ServerScenario("200 to some ranged requests", .parts(atMost: 1.2)) {
            Route($0).on(.ranged, .numbers([2, 5, 9])) { $0.ranges = .ignored }
        },
        ServerScenario("416 to one range, always", .file(atMost: 2.2)) {
            Route($0).on(.covering(500_000)) { $0.ranges = .unsatisfiable }
        },
        ServerScenario("400 to some ranges", .parts(atMost: 1.2)) {
            Route($0).on(.ranged, .numbers([2, 4])) { $0.fail(400) }
        },
        ServerScenario("501 to one range, always", .file(atMost: 2.2)) {
            Route($0).on(.covering(500_000)) { $0.fail(501) }
        },
        ServerScenario("416 to every range past 0", .file(atMost: 2.2)) {
            Route($0).on(.ranged.and(.beginning(at: 0).inverted)) { $0.ranges = .unsatisfiable }
        },
        ServerScenario("a multipart answer to some requests", .parts(atMost: 1.2)) {
            Route($0).on(.ranged, .numbers([2, 5])) { $0.ranges = .multipart }
        },
        ServerScenario("the whole file as a 206, whatever is asked for", .file(atMost: 3.2)) {
            Route($0) { $0.window = .exactly(0..<1 * MiB) }
        },
        ServerScenario("parts in chunks", .parts(atMost: 1.2)) { Route($0).on(.ranged) { $0.framing = .chunked } },
        // What lies behind the window and is taken all the same is found out only by the stream, much later.
        ServerScenario("short windows, and bytes behind them, in chunks", .file(atMost: 1.2)) {
            Route($0).on(.ranged) {
                ($0.window, $0.framing, $0.surplusBytes) = (.first(10_000), .chunked, 1000)
            }
        },
        ServerScenario("bytes behind the promised body") { Route($0).on(.ranged) { $0.surplusBytes = 1000 } },
        ServerScenario("bytes behind the promised body, when the next request is on its way") {
            Route($0).on(.ranged, .first(2)) {
                $0.surplusBytes = 1000
                $0.surplusDelay = .milliseconds(50)
            }
        },
        ServerScenario("a suffix range is 501") {
            Route($0).on(.matching { $0.fields["Range"]?.hasPrefix("bytes=-") ?? false }) { $0.fail(501) }
        },
        ServerScenario("an encoded part, once", .parts(atMost: 1.2)) {
            Route($0).on(.ranged, .numbers([3])) { $0.fields["Content-Encoding"] = "gzip" }
        },
        ServerScenario("an archive whose own compression is a label") {
            Route($0) {
                $0.contentType = "application/x-tar"
                $0.fields["Content-Encoding"] = "x-gzip"
            }
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
        ServerScenario("each connection all but dries up, yet brings each byte in time", length: 256 * KiB) {
            Route($0).on(.ranged) { $0.dribble = .after(64 * KiB - 12, each: .milliseconds(150)) }
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
        ServerScenario("a stream of unknown length is always cut", .failure(.network)) {
            Route($0) {
                ($0.framing, $0.ranges, $0.acceptRanges) = (.chunkedUnfinished, .ignored, "none")
                $0.cut = .after(600_000)
            }
        },
        ServerScenario("parts without a byte, for ever", .failure(.network)) {
            Route($0).on(.ranged) { ($0.framing, $0.cut) = (.chunked, .after(0)) }
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
        ServerScenario("a stream of known length is cut once, and then ends too early, in chunks", .file(atMost: 2.2)) {
            Route($0) { ($0.ranges, $0.acceptRanges, $0.etag) = (.ignored, "none", .strong("x")) }
                .on(.gets, .first(1)) { $0.cut = .after(300_000) }
                .on(.gets, .numbers([2])) {
                    ($0.content, $0.framing) = (.pattern(PatternContent(seed: 7, length: 600_000)), .chunked)
                }
        },
        ServerScenario(
            "a stream of unknown length is cut once, and is shorter the next time",
            .file(atMost: 3.1),
            length: 300_000
        ) {
            Route($0) {
                ($0.framing, $0.ranges, $0.acceptRanges) = (.chunked, .ignored, "none")
                ($0.etag, $0.lastModified) = (.none, nil)
            }
            .on(.gets, .first(1)) {
                $0.content = .pattern(PatternContent(seed: 8, length: 1 * MiB))
                ($0.framing, $0.cut) = (.chunkedUnfinished, .after(600_000))
            }
        },
    ]
}
