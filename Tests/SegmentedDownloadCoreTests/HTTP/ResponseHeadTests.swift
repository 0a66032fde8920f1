import SegmentedDownloadCore
import Testing

/// A head with these `Name: value` lines.
func head(_ status: Int = 200, _ lines: String...) -> ResponseHead {
    makeHead(status, lines)
}

func makeHead(_ status: Int, _ lines: [String]) -> ResponseHead {
    let fields = lines.map { line in
        let colon = line.firstIndex(of: ":") ?? line.endIndex
        return (name: String(line[..<colon]), value: String(line[colon...].dropFirst()))
    }
    return ResponseHead(status: status, fields: fields, parseDate: parseTestDate)
}

struct ResponseHeadTests {
    @Test func `an empty head says nothing`() {
        let empty = head(204)
        #expect(empty.status == 204)
        #expect(empty.contentLength == .absent)
        #expect(empty.contentRange == .absent)
        #expect(empty.acceptRanges == .unstated)
        #expect(empty.entityTag == nil && empty.lastModified == nil && empty.date == nil)
        #expect(empty.lastModifiedText == nil && !empty.isLastModifiedStrong)
        #expect(empty.contentEncoding == nil && !empty.isChunked)
        #expect(empty.mediaType == nil && empty.contentDisposition == nil)
        #expect(empty.location == nil && empty.retryAfter == nil)
    }

    @Test(
        arguments: [
            ([], .absent),
            (["Content-Length: 0"], .value(0)),
            (["content-LENGTH:5"], .value(5)),
            (["Content-Length: 5", "Content-Length: 5"], .value(5)),
            (["Content-Length: 5, 5"], .value(5)),
            (["Content-Length: 5 ,\t05"], .value(5)),
            (["Content-Length: 9223372036854775807"], .value(.max)),
            (["Content-Length: 9223372036854775808"], .malformed),
            (["Content-Length: 18446744073709551615"], .malformed),
            (["Content-Length: 5", "Content-Length: 6"], .malformed),
            (["Content-Length: 5, 6"], .malformed),
            (["Content-Length: 5,"], .malformed),
            (["Content-Length: "], .malformed),
            (["Content-Length: -1"], .malformed),
            (["Content-Length: +1"], .malformed),
            (["Content-Length: 1e3"], .malformed),
            (["Content-Length: 5 5"], .malformed),
            (["Transfer-Encoding: chunked", "Content-Length: 5"], .absent),
            (["Transfer-Encoding: gzip, Chunked", "Content-Length: x"], .absent),
            (["Transfer-Encoding: identity", "Content-Length: 5"], .value(5)),
        ] as [([String], FieldReading<Int64>)]
    )
    func `the length is one number or malformed`(_ lines: [String], _ expected: FieldReading<Int64>) {
        #expect(makeHead(200, lines).contentLength == expected)
    }

    @Test(
        arguments: [
            (["Accept-Ranges: bytes"], .bytes), (["accept-ranges: BYTES"], .bytes),
            (["Accept-Ranges: x, bytes"], .bytes),
            (["Accept-Ranges: none"], .none), (["Accept-Ranges: none", "Accept-Ranges: bytes"], .bytes),
            (["Accept-Ranges: pages"], .unstated), (["Accept-Ranges:"], .unstated), ([], .unstated),
        ] as [([String], ResponseHead.AcceptRanges)]
    )
    func `ranges are stated, denied or left open`(_ lines: [String], _ expected: ResponseHead.AcceptRanges) {
        #expect(makeHead(200, lines).acceptRanges == expected)
    }

    @Test(arguments: [
        (["Content-Encoding: identity"], nil), (["Content-Encoding:"], nil), (["Content-Encoding: Identity, "], nil),
        (["Content-Encoding: GZIP"], "gzip"), (["Content-Encoding: identity, br"], "br"),
        (["Content-Encoding: identity", "CONTENT-ENCODING: x-gzip"], "x-gzip"),
        (["Content-Encoding: gzip", "Content-Encoding: br , identity"], "gzip,br"),
    ])
    func `only identity is identity`(_ lines: [String], _ expected: String?) {
        #expect(makeHead(200, lines).contentEncoding == expected)
    }

    @Test(arguments: [
        ("text/HTML; charset=utf-8", "text/html"), ("application/x-tar", "application/x-tar"), (" a/b ;c", "a/b"),
        ("text", nil), ("/", nil), ("a/", nil), ("a/b/c", nil), ("a b/c", nil), ("a/b\u{1B}[31m", nil), ("é/b", nil),
        ("", nil), ("a/" + String(repeating: "b", count: 127), "a/" + String(repeating: "b", count: 127)),
        ("a/" + String(repeating: "b", count: 128), nil),
    ])
    func `a media type is two tokens in lower case`(_ value: String, _ expected: String?) {
        #expect(head(200, "Content-Type: \(value)").mediaType == expected)
    }

    @Test(
        arguments: [
            (["Content-Range: bytes 0-1/2"], 0..<2),
            (["Content-Range: bytes 0-1/2", "Content-Range: bytes 0-1/2"], 0..<2),
            (["Content-Range: bytes 0-1/2", "Content-Range: bytes 0-0/2"], nil), (["Content-Range: junk"], nil),
            (["Content-Range:"], nil),
        ] as [([String], Range<Int64>?)]
    )
    func `two Content-Ranges that differ are malformed`(_ lines: [String], _ range: Range<Int64>?) {
        let reading = makeHead(206, lines).contentRange
        #expect(reading.value?.range == range)
        #expect((reading == .malformed) == (range == nil))
    }

    @Test(arguments: [
        (["ETag: \"a\""], "\"a\""), (["ETag: \"a\"", "etag: \"a\""], "\"a\""), (["ETag: \"a\"", "ETag: \"b\""], nil),
        (["ETag: a"], nil),
    ])
    func `two entity tags that differ are none`(_ lines: [String], _ expected: String?) {
        #expect(makeHead(200, lines).entityTag?.text == expected)
    }

    @Test(
        arguments: [
            ("T100", 100, "T100"), (" T100\t", 100, "T100"), ("yesterday", nil, nil), ("", nil, nil),
            ("T1\u{7}", nil, nil),
            ("T" + String(repeating: "0", count: 63), 0, "T" + String(repeating: "0", count: 63)),
            ("T" + String(repeating: "0", count: 64), nil, nil),
        ] as [(String, Int64?, String?)]
    )
    func `Last-Modified is kept as text only where it is a date`(_ value: String, _ time: Int64?, _ text: String?) {
        let parsed = head(200, "Last-Modified: \(value)")
        #expect(parsed.lastModified == time)
        #expect(parsed.lastModifiedText == text)
    }

    @Test(
        arguments: [
            (100, 160, true), (100, 159, false), (100, 100, false), (160, 100, false), (Int64.min, Int64.max, true),
            (Int64.max, Int64.min, false),
        ] as [(Int64, Int64, Bool)]
    )
    func `Last-Modified is strong when it is a minute older than Date`(
        _ modified: Int64,
        _ date: Int64,
        _ isStrong: Bool
    ) {
        #expect(head(200, "Last-Modified: T\(modified)", "Date: T\(date)").isLastModifiedStrong == isStrong)
    }

    @Test func `without a Date, Last-Modified is weak`() {
        #expect(!head(200, "Last-Modified: T100").isLastModifiedStrong)
    }

    @Test(arguments: [("/x y", "/x y"), (" http://a/ ", "http://a/"), ("", nil), ("/a\u{1B}b", nil), ("/a\rb", nil)])
    func `a location has no control character`(_ value: String, _ expected: String?) {
        #expect(head(302, "Location: \(value)").location == expected)
    }

    @Test func `the other fields are found`() {
        let full = head(429, "Retry-After: 2", "Content-Disposition: attachment", "Transfer-Encoding: chunked")
        #expect(full.retryAfter == .seconds(2))
        #expect(full.contentDisposition == "attachment")
        #expect(full.isChunked)
    }

    @Test func `bytes that are no UTF-8 are read as Latin-1, one scalar each`() {
        #expect(String(fieldBytes: [0x63, 0x61, 0x66, 0xE9]) == "café")
        #expect(String(fieldBytes: Array("café".utf8)) == "café")
        #expect(String(fieldBytes: 0...255).unicodeScalars.map(\.value) == Array(0...255))
    }

    @Test func `no fields make the parser trap`() {
        var texts = UntrustedText(seed: 3)
        let names = [
            "content-length", "content-range", "etag", "last-modified", "date", "content-type", "retry-after",
            "location", "content-encoding", "transfer-encoding", "accept-ranges", "content-disposition",
        ]
        let pieces = ["bytes", "0-1/2", "5", ",", "T1", "chunked", "gzip", "\"x\"", "text/html", "9223372036854775807"]
        for _ in 0..<3000 {
            let fields = (0..<texts.number(below: 20)).map { _ in
                (name: names[texts.number(below: names.count)], value: texts.next(pieces: pieces))
            }
            let parsed = ResponseHead(
                status: texts.number(below: 1000),
                fields: fields,
                parseDate: { Int64($0.utf8.count) }
            )
            #expect(parsed.contentLength.value ?? 0 >= 0)
            #expect(parsed.lastModifiedText?.utf8.count ?? 0 <= ResponseHead.maximumDateByteCount)
        }
    }
}
