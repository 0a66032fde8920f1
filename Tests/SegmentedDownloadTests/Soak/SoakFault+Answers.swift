import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport

// Faults of single answers to a GET.
extension SoakFault {
    /// What passes: the same request is answered well the next time.
    static let passing: [Draw] = [
        { random in
            let status = random.one(of: [408, 425, 429, 500, 502, 503, 504, 520, 522, 527, 598])
            let past = "Thu, 01 Jan 1970 00:00:01 GMT"
            let retryAfter = random.one(of: [nil, nil, "0", "-5", "soon", past, ""])
            return SoakFault("status \(status), Retry-After \(retryAfter ?? "absent")", endsAs: .server) {
                $0.fail(status, retryAfter: retryAfter)
            }
        },
        { _ in SoakFault("closed without a byte") { $0.answer = .close } },
        { _ in SoakFault("reset without a byte") { $0.answer = .reset } },
        { _ in SoakFault("no answer", cost: silence) { $0.answer = .silence } },
        { random in
            let place = cutPlace(&random)
            return SoakFault("closed after \(place) bytes", .hidesEnd) { $0.cut = .after(place) }
        },
        { random in
            let place = cutPlace(&random)
            return SoakFault("reset after \(place) bytes") { $0.cut = .after(place, by: .reset) }
        },
        { random in
            let place = cutPlace(&random)
            return SoakFault("stalls after \(place) bytes", cost: silence) { $0.stallAfter = place }
        },
        { random in
            let milliseconds = Int.random(in: 1...150, using: &random)
            return SoakFault("answered after \(milliseconds) ms", cost: .milliseconds(milliseconds)) {
                $0.delay = .milliseconds(milliseconds)
            }
        },
        { _ in SoakFault("300 kB/s", cost: .seconds(1)) { $0.bytesPerSecond = 300_000 } },
        { random in
            let count = Int64.random(in: 1...100_000, using: &random)
            return SoakFault("a window of \(count) bytes") { $0.window = .first(count) }
        },
        { _ in SoakFault("chunks without the last one") { $0.framing = .chunkedUnfinished } },
        { _ in SoakFault("closed without a word after the answer") { $0.afterwards = .close } },
        { random in
            let count = Int.random(in: 1...5000, using: &random)
            let delay = Duration.milliseconds(random.one(of: [0, 2, 20]))
            return SoakFault("\(count) bytes \(delay) after the body") {
                // Where nothing else tells the end, these would be bytes of the file.
                guard case .length = $0.framing else { return }
                $0.surplusBytes = count
                $0.surplusDelay = delay
            }
        },
        { _ in
            SoakFault("a 103 with fields of another file") {
                $0.earlyHints = ["ETag": "\"early\"", "Content-Range": "bytes 5-6/7", "Content-Length": "3"]
            }
        },
        { _ in
            SoakFault("trailers with fields of another file") {
                if case .length = $0.framing { $0.framing = .chunked }
                $0.trailers = ["ETag": "\"late\"", "Content-Range": "bytes 5-6/7"]
            }
        },
        // To a server without it no If-Range is right: 200, and where no date tells, it may be another file's.
        { _ in SoakFault("no ETag", .leadsToStream) { $0.etag = .none } },
    ]

    /// Untrue answers about parts; the file can still be had.
    static let lies: [Draw] = [
        { random in
            let shift = random.one(of: [-65_536, -1, 1, 4096, 65_536] as [Int64])
            return SoakFault("a window \(shift) bytes off", endsAs: .protocol, .leadsToStream) {
                $0.window = .shifted(shift)
            }
        },
        { random in
            let count = random.one(of: [1, 65_536, .max] as [Int64])
            return SoakFault("at most the first \(count) bytes for a part", endsAs: .protocol, .leadsToStream) {
                $0.window = .exactly(0..<min(count, $0.content.length))
            }
        },
        { random in
            let shift = random.one(of: [-65_536, -1, 1, 65_536] as [Int64])
            return SoakFault("a Content-Range \(shift) bytes off", endsAs: .protocol, .leadsToStream) {
                $0.contentRange = .shifted(shift)
            }
        },
        { _ in
            SoakFault("no Content-Range", endsAs: .protocol, .leadsToStream) { $0.contentRange = .missing }
        },
        { random in
            let value = random.one(of: [
                "", "bytes", "bytes 0-1", "bytes 9-1/99", "bytes a-b/c", "bytes 0-99999999999999999999/*",
                "bytes */*", "items 0-1/2",
            ])
            return SoakFault("Content-Range: \(value)", endsAs: .protocol, .leadsToStream) {
                $0.contentRange = .literal(value)
            }
        },
        { _ in
            SoakFault("an unknown total", endsAs: .protocol, .leadsToStream) {
                $0.contentRange = .unknownTotal
            }
        },
        { random in
            let more = Int64.random(in: 1...1_000_000, using: &random)
            return SoakFault("a total \(more) too high", endsAs: .protocol, .asksAgain) {
                $0.contentRange = .total($0.content.length + more)
            }
        },
        { _ in
            SoakFault("the range ignored", endsAs: .protocol, .leadsToStream) { $0.ranges = .ignored }
        },
        { _ in
            SoakFault("a multipart answer", endsAs: .protocol, .leadsToStream) { $0.ranges = .multipart }
        },
        { _ in
            SoakFault("416", endsAs: .protocol, [.leadsToStream, .asksAgain]) {
                $0.ranges = .unsatisfiable
            }
        },
        { random in
            let stated = random.one(of: [0, 1, 77_777, 99_999_999] as [Int64])
            let effects: Effects = [.leadsToStream, .partsOnly]
            return SoakFault("Content-Length \(stated) on a part", endsAs: .protocol, effects) {
                $0.framing = .stated(stated)
            }
        },
        { random in
            let count = Int.random(in: 1...5000, using: &random)
            let effects: Effects = [.leadsToStream, .partsOnly]
            return SoakFault("\(count) bytes too many in chunks", endsAs: .protocol, effects) {
                $0.framing = .chunked
                $0.surplusBytes = count
            }
        },
        { _ in
            SoakFault("another ETag", endsAs: .protocol, .asksAgain) {
                $0.etag = .strong("odd")
            }
        },
        { _ in
            SoakFault("another Last-Modified", endsAs: .protocol, [.asksAgain, .finalInStream]) {
                $0.lastModified = "Fri, 02 Jan 2015 00:00:00 GMT"
            }
        },
    ]

    /// What may end the download.
    static let final: [Draw] = [
        { _ in SoakFault("no HTTP", endsAs: .protocol, .final) { $0.answer = .raw("SSH-2.0-OpenSSH\r\n") } },
        { random in
            let status = random.one(of: [400, 403, 404, 410])
            return SoakFault("status \(status)", endsAs: .server, [.finalAtOrigin, .asksAgain]) { $0.fail(status) }
        },
        { random in
            let status = random.one(of: [402, 412, 451, 501])
            return SoakFault("status \(status)", endsAs: .server, .final) { $0.fail(status) }
        },
        { _ in SoakFault("status 401", endsAs: .authentication, [.finalAtOrigin, .asksAgain]) { $0.fail(401) } },
        { _ in
            SoakFault("Retry-After of a day", endsAs: .server, .final) { $0.fail(503, retryAfter: "86400") }
        },
        { _ in
            SoakFault("an encoded body", endsAs: .protocol, .final) {
                $0.fields["Content-Encoding"] = "gzip"
                $0.etag = .none
                $0.content = .pattern(seed: 0, length: $0.content.length)
            }
        },
        { random in
            let location = random.one(of: ["file:///etc/passwd", "", "http://", "/file"])
            return SoakFault("redirect to '\(location)'", endsAs: .protocol, [.final, .asksAgain]) {
                $0.redirect(to: location)
            }
        },
        { _ in
            SoakFault("a length beyond Int64", endsAs: .protocol, [.final, .leadsToStream]) {
                $0.fields["Content-Length"] = "99999999999999999999"
            }
        },
        { _ in
            SoakFault("a login page", endsAs: .protocol, [.final, .isPage]) { $0.becomeLoginPage() }
        },
    ]

    /// Mostly near the beginning, where a part ends soon.
    private static func cutPlace(_ random: inout SeededRandom) -> Int64 {
        let limit = random.one(of: [1, 1000, 70_000, 300_000] as [Int64])
        return Int64.random(in: 0...limit, using: &random)
    }
}

extension Behaviour {
    /// A captive portal's answer.
    mutating func becomeLoginPage() {
        content = .text("<html><body>Please sign in.</body></html>")
        contentType = "text/html"
        (etag, lastModified) = (.none, nil)
        (ranges, framing) = (.ignored, .length)
    }
}
