import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport

// Faults of all answers, of HEAD, and of a server that goes away for good.
extension SoakFault {
    /// Peculiarities of all answers that do no harm. One is drawn of each list.
    static let habits: [[Draw]] = [
        [
            { _ in SoakFault("chunked") { $0.framing = .chunked } },
            { _ in SoakFault("until the connection closes") { $0.framing = .untilClose } },
            { _ in SoakFault("closed without a word") { $0.afterwards = .close } },
            { _ in SoakFault("Connection: close") { $0.afterwards = .announcedClose } },
        ],
        [
            { _ in SoakFault("no ETag at all") { $0.etag = .none } },
            { _ in SoakFault("weak ETags") { $0.etag = .weak("w") } },
            { _ in SoakFault("a broken ETag") { $0.etag = .literal("\"broken") } },
        ],
        [
            { _ in SoakFault("no Last-Modified") { $0.lastModified = nil } },
            { _ in SoakFault("a Last-Modified that is no date") { $0.lastModified = "yesterday" } },
        ],
        [
            { _ in SoakFault("no Content-Type") { $0.contentType = nil } },
            { _ in SoakFault("a file that is a page") { $0.contentType = "text/html" } },
        ],
        [
            { _ in SoakFault("no Accept-Ranges") { $0.acceptRanges = nil } },
            { _ in SoakFault("If-Range ignored") { $0.ifRange = .ignored } },
            { _ in SoakFault("200 to its own If-Range") { $0.ifRange = .alwaysDiffers } },
            { _ in SoakFault("Accept-Ranges: none", .leadsToStream) { $0.acceptRanges = "none" } },
        ],
        [
            { random in
                let milliseconds = Int.random(in: 1...20, using: &random)
                return SoakFault("\(milliseconds) ms away", cost: .milliseconds(20 * milliseconds)) {
                    $0.delay = .milliseconds(milliseconds)
                }
            },
            { random in
                let rate = Int64.random(in: 2_000_000...8_000_000, using: &random)
                return SoakFault("\(rate) bytes a second", cost: .seconds(1)) { $0.bytesPerSecond = rate }
            },
        ],
        [
            { random in
                let count = Int64.random(in: 20_000...300_000, using: &random)
                return SoakFault("windows of at most \(count) bytes") { $0.window = .first(count) }
            },
            { _ in SoakFault("an unknown total always", .leadsToStream) { $0.contentRange = .unknownTotal } },
        ],
        [
            { _ in
                SoakFault("a 103 before each answer") {
                    $0.earlyHints = ["Link": "</style.css>; rel=preload", "ETag": "\"early\""]
                }
            },
            { _ in
                SoakFault("strange fields") {
                    $0.fields["X-Long"] = String(repeating: "long", count: 5000)
                    $0.fields["Content-Disposition"] = "attachment; filename=\"../../../etc/passwd\""
                    $0.fields["Set-Cookie"] = "a=b; Domain=com; Path=/"
                }
            },
        ],
    ]

    /// Peculiarities of all answers that do harm. At most one is drawn.
    static let vices: [Draw] = [
        { _ in SoakFault("ranges ignored", .leadsToStream) { $0.ranges = .ignored } },
        { _ in SoakFault("multipart answers", .leadsToStream) { $0.ranges = .multipart } },
        { _ in
            SoakFault("416 to each range", [.leadsToStream, .asksAgain]) { $0.ranges = .unsatisfiable }
        },
        { _ in SoakFault("never a Content-Range", .leadsToStream) { $0.contentRange = .missing } },
        { _ in SoakFault("Content-Range off by one", .leadsToStream) { $0.contentRange = .shifted(1) } },
        { random in
            let place = Int64.random(in: 30_000...60_000, using: &random)
            let kind = random.one(of: [Behaviour.Cut.Kind.close, .reset])
            return SoakFault("each body ends by a \(kind) after \(place) bytes", [.finalInStream, .hidesEnd]) {
                $0.cut = .after(place, by: kind)
            }
        },
        { random in
            let (limit, status) = (random.one(of: [1, 2, 3]), random.one(of: [503, 429]))
            return SoakFault("\(status) beyond \(limit) requests", endsAs: .server) {
                $0.maximumConcurrentRequests = limit
                $0.surplus = .status(status)
            }
        },
        { random in
            let limit = random.one(of: [1, 2, 3])
            return SoakFault("reset beyond \(limit) requests") {
                $0.maximumConcurrentRequests = limit
                $0.surplus = .reset
            }
        },
        { _ in
            SoakFault("403 beyond 2 requests", endsAs: .server) {
                $0.maximumConcurrentRequests = 2
                $0.surplus = .status(403)
            }
        },
        { _ in
            SoakFault("two ETags that take turns", endsAs: .protocol, .finalWithoutDate) {
                $0.etag = .rotating(["one", "two"])
            }
        },
    ]

    /// Answers to HEAD alone.
    static let heads: [Draw] = [
        { random in
            let status = random.one(of: [400, 403, 404, 405, 500, 501, 503])
            return SoakFault("HEAD: status \(status)") { $0.fail(status) }
        },
        { _ in SoakFault("HEAD: closed") { $0.answer = .close } },
        { _ in SoakFault("HEAD: reset") { $0.answer = .reset } },
        { _ in SoakFault("HEAD: no answer", cost: silence) { $0.answer = .silence } },
        { _ in SoakFault("HEAD: a length of 0") { $0.framing = .stated(0) } },
        { _ in SoakFault("HEAD: no length") { $0.framing = .untilClose } },
        { _ in SoakFault("HEAD: no number for a length") { $0.fields["Content-Length"] = "-1" } },
        { _ in
            SoakFault("HEAD: an encoded form") {
                $0.fields["Content-Encoding"] = "gzip"
                $0.framing = .stated(1234)
            }
        },
        { random in
            let difference = random.one(of: [-100_000, -1, 1, 100_000] as [Int64])
            return SoakFault("HEAD: a length \(difference) off", endsAs: .protocol, .asksAgain) {
                $0.framing = .stated(max(1, $0.content.length + difference))
            }
        },
        { _ in SoakFault("HEAD: another type") { $0.contentType = "text/plain" } },
    ]

    /// What a server does that is gone.
    static let ends: [Draw] = [
        { random in
            let status = random.one(of: [403, 404, 410, 500, 503])
            return SoakFault("status \(status) for ever", endsAs: .server, .final) { $0.fail(status) }
        },
        { _ in SoakFault("closed for ever", .final) { $0.answer = .close } },
        { _ in SoakFault("reset for ever", .final) { $0.answer = .reset } },
        { _ in SoakFault("silent for ever", .final, cost: .seconds(3)) { $0.answer = .silence } },
        { _ in
            SoakFault("a login page for ever", endsAs: .protocol, [.final, .isPage]) { $0.becomeLoginPage() }
        },
    ]
}
