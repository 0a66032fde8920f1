import SegmentedDownloadCore
import Testing

struct ResponseCheckTests {
    typealias Verdict = ResponseCheck.Verdict

    static let known = Resource(
        length: 100,
        validators: Validators(strongETag: "\"a\"", lastModified: 5),
        mediaType: "application/zip"
    )
    static let lengthOnly = Resource(length: 100, validators: .none, mediaType: nil)

    private func verdict(
        _ asked: ResponseCheck.Asked,
        _ head: ResponseHead,
        of resource: Resource = known
    ) -> Verdict {
        ResponseCheck(resource: resource, asked: asked).verdict(for: head)
    }

    @Test(
        arguments: [
            (["Content-Range: bytes 10-19/100"], .accept(end: 20)),
            (["Content-Range: bytes 10-19/100", "Content-Length: 10"], .accept(end: 20)),
            (["Content-Range: bytes 10-19/100", "Transfer-Encoding: chunked", "Content-Length: 3"], .accept(end: 20)),
            (["Content-Range: bytes 10-19/100", "Content-Encoding: identity"], .accept(end: 20)),
            (["Content-Range: bytes 10-10/100"], .accept(end: 11)),
            (["Content-Range: bytes 10-18/100", "Content-Length: 9"], .accept(end: 19)),
            (["Content-Range: bytes 10-19/*"], .accept(end: 20)),
            (["Content-Range: bytes 10-19/100", "ETag: \"a\""], .accept(end: 20)),
            (["Content-Range: bytes 10-19/100", "ETag: \"a\"", "Last-Modified: T6"], .accept(end: 20)),
            (["Content-Range: bytes 10-19/100", "ETag: W/\"b\""], .accept(end: 20)),
            (["Content-Range: bytes 10-19/100", "Last-Modified: T5"], .accept(end: 20)),
            (["Content-Range: bytes 10-19/100", "Content-Type: text/plain"], .accept(end: 20)),
            (["Content-Range: bytes 10-19/100", "Content-Type: text/html", "ETag: \"a\""], .accept(end: 20)),
            ([], .reject(.missingContentRange)),
            (["Content-Length: 10", "ETag: \"a\""], .reject(.missingContentRange)),
            (["Content-Range: bytes 19-10/100"], .reject(.malformedContentRange)),
            (["Content-Range: bytes */100"], .reject(.malformedContentRange)),
            (["Content-Range: bytes 10-20/100"], .reject(.wrongWindow)),
            (["Content-Range: bytes 9-19/100"], .reject(.wrongWindow)),
            (["Content-Range: bytes 11-19/100"], .reject(.wrongWindow)),
            (["Content-Range: bytes 0-99/100"], .reject(.wrongWindow)),
            (["Content-Range: bytes 10-20/*"], .reject(.wrongWindow)),
            (["Content-Range: bytes 10-19/101"], .reject(.lengthChanged)),
            (["Content-Range: bytes 10-19/20"], .reject(.lengthChanged)),
            (["Content-Range: bytes 10-100/*"], .reject(.lengthChanged)),
            (["Content-Range: bytes 0-9/101"], .reject(.lengthChanged)),
            (["Content-Range: bytes 10-19/100", "ETag: \"b\""], .reject(.validatorsChanged)),
            (["Content-Range: bytes 10-19/100", "ETag: \"b\"", "Last-Modified: T5"], .reject(.validatorsChanged)),
            (["Content-Range: bytes 10-19/100", "Last-Modified: T6"], .reject(.validatorsChanged)),
            (["Content-Range: bytes 10-19/100", "Content-Length: 9"], .reject(.contradictoryLength)),
            (["Content-Range: bytes 10-19/100", "Content-Length: 11"], .reject(.contradictoryLength)),
            (["Content-Range: bytes 10-19/100", "Content-Length: x"], .reject(.contradictoryLength)),
            (["Content-Range: bytes 10-19/100", "Content-Encoding: gzip"], .reject(.encoded)),
            (["Content-Range: bytes 10-19/55", "Content-Encoding: gzip"], .reject(.encoded)),
            (["Content-Type: multipart/byteranges; boundary=x"], .reject(.multipart)),
            (["Content-Range: bytes 10-19/100", "Content-Type: multipart/byteranges"], .reject(.multipart)),
            (["Content-Range: bytes 10-19/100", "Content-Type: text/html"], .reject(.captive)),
            (["Content-Range: bytes 10-19/100", "Content-Type: text/html", "ETag: \"b\""], .reject(.captive)),
        ] as [([String], Verdict)]
    )
    func `a 206 is accepted for the part asked for and no other`(_ lines: [String], _ expected: Verdict) {
        #expect(verdict(.range(10..<20), makeHead(206, lines)) == expected)
    }

    @Test func `a range beyond the end may end with the resource`() {
        #expect(verdict(.range(90..<200), head(206, "Content-Range: bytes 90-99/100")) == .accept(end: 100))
        #expect(verdict(.range(0..<200), head(200, "Content-Length: 100")) == .accept(end: 100))
    }

    @Test(
        arguments: [
            (["Content-Range: bytes 0-9/100"], .accept(end: 10)),
            (["Content-Range: bytes 0-4/5", "ETag: \"z\"", "Content-Type: text/html"], .accept(end: 5)),
            (["Content-Range: bytes 0-9/*"], .reject(.unknownTotal)),
            (["Content-Range: bytes 1-9/100"], .reject(.wrongWindow)),
            (["Content-Range: bytes 0-10/100"], .reject(.wrongWindow)),
        ] as [([String], Verdict)]
    )
    func `the first answer of all may be about anything, but tells its total`(_ lines: [String], _ expected: Verdict) {
        #expect(verdict(.range(0..<10), makeHead(206, lines), of: .unknown) == expected)
    }

    @Test(
        arguments: [
            (["Content-Length: 100"], .rangesIgnored(.unknown)),
            (["Content-Length: 100", "ETag: \"a\""], .rangesIgnored(.same)),
            (["ETag: \"a\""], .rangesIgnored(.same)),
            (["Last-Modified: T5"], .rangesIgnored(.same)),
            (["Content-Length: 101", "ETag: \"a\""], .rangesIgnored(.different)),
            (["Content-Length: 100", "ETag: \"b\""], .rangesIgnored(.different)),
            (["Content-Length: 100", "Content-Type: text/html"], .captive),
            (["Content-Length: 100", "Content-Encoding: br"], .encoded),
        ] as [([String], Rejection)]
    )
    func `a 200 to a part is rejected, and it is told whether the resource is the same`(
        _ lines: [String],
        _ expected: Rejection
    ) {
        #expect(verdict(.range(10..<20), makeHead(200, lines)) == .reject(expected))
        #expect(verdict(.range(0..<99), makeHead(200, lines)) == .reject(expected))
        #expect(verdict(.range(1..<100), makeHead(200, lines)) == .reject(expected))
    }

    @Test func `a 200 to a first ranged request of unknown length is left to the caller`() {
        let answer = head(200, "Content-Length: 5")
        #expect(verdict(.range(0..<10), answer, of: .unknown) == .reject(.rangesIgnored(.unknown)))
        #expect(verdict(.whole, answer, of: .unknown) == .accept(end: 5))
        #expect(verdict(.whole, head(200, "Transfer-Encoding: chunked"), of: .unknown) == .accept(end: nil))
        #expect(verdict(.whole, head(200, "Content-Length: 0"), of: .unknown) == .accept(end: 0))
    }

    @Test(
        arguments: [
            (["Content-Length: 100"], .accept(end: 100)),
            ([], .accept(end: 100)),
            (["Transfer-Encoding: chunked", "ETag: \"a\""], .accept(end: 100)),
            (["Content-Length: 99"], .reject(.lengthChanged)),
            (["Content-Length: 0"], .reject(.lengthChanged)),
            (["Content-Length: 100", "Content-Length: 99"], .reject(.contradictoryLength)),
            (["Content-Length: 100", "ETag: \"b\""], .reject(.validatorsChanged)),
            (["Content-Length: 100", "Content-Encoding: gzip"], .reject(.encoded)),
            (["Content-Length: 100", "Content-Type: multipart/byteranges"], .reject(.multipart)),
            (["Content-Length: 99", "Content-Type: text/html"], .reject(.captive)),
        ] as [([String], Verdict)]
    )
    func `a 200 is a stream from 0, for the whole and for a range that covers it`(
        _ lines: [String],
        _ expected: Verdict
    ) {
        #expect(verdict(.whole, makeHead(200, lines)) == expected)
        #expect(verdict(.range(0..<100), makeHead(200, lines)) == expected)
    }

    @Test(
        arguments: [
            (["Content-Range: bytes 0-99/100"], .accept(end: 100)),
            (["Content-Range: bytes 0-99/*", "Content-Length: 100"], .accept(end: 100)),
            (["Content-Range: bytes 0-9/100", "Content-Length: 10"], .reject(.wrongWindow)),
            (["Content-Range: bytes 0-9/*"], .reject(.wrongWindow)),
            (["Content-Range: bytes 1-99/100"], .reject(.wrongWindow)),
            (["Content-Range: bytes 0-99/200"], .reject(.lengthChanged)),
            ([], .reject(.missingContentRange)),
        ] as [([String], Verdict)]
    )
    func `a 206 that nobody asked for is used when it is the whole`(_ lines: [String], _ expected: Verdict) {
        #expect(verdict(.whole, makeHead(206, lines), of: Self.lengthOnly) == expected)
    }

    @Test func `a 206 that nobody asked for tells a length that was unknown`() {
        #expect(verdict(.whole, head(206, "Content-Range: bytes 0-99/100"), of: .unknown) == .accept(end: 100))
        #expect(verdict(.whole, head(206, "Content-Range: bytes 0-9/100"), of: .unknown) == .reject(.wrongWindow))
        #expect(verdict(.whole, head(206, "Content-Range: bytes 0-9/*"), of: .unknown) == .reject(.unknownTotal))
    }

    @Test(
        arguments: [
            (302, ["Location: /x"], .redirect(location: "/x")),
            (308, [], .redirect(location: nil)),
            (304, [], .status(304, retryAfter: nil)),
            (203, ["Content-Length: 100"], .status(203, retryAfter: nil)),
            (204, [], .status(204, retryAfter: nil)),
            (401, [], .status(401, retryAfter: nil)),
            (412, [], .status(412, retryAfter: nil)),
            (503, ["Retry-After: 2"], .status(503, retryAfter: .seconds(2))),
            (0, [], .status(0, retryAfter: nil)),
            (-1, [], .status(-1, retryAfter: nil)),
        ] as [(Int, [String], Rejection)]
    )
    func `any other status is rejected, whatever was asked`(
        _ status: Int,
        _ lines: [String],
        _ expected: Rejection
    ) {
        for asked in [ResponseCheck.Asked.whole, .range(0..<100), .range(10..<20)] {
            #expect(verdict(asked, makeHead(status, lines)) == .reject(expected))
        }
    }

    @Test(
        arguments: [([], nil), (["Content-Range: junk"], nil), (["Content-Range: bytes */0"], 0)]
            as [([String], Int64?)]
    )
    func `a 416 is about the range that was asked for, and without one a refusal like any other`(
        _ lines: [String],
        _ total: Int64?
    ) {
        let answer = makeHead(416, lines)
        #expect(verdict(.range(10..<20), answer) == .reject(.rangeNotSatisfiable(total: total)))
        #expect(verdict(.whole, answer) == .reject(.status(416, retryAfter: nil)))
    }

    @Test func `a description holds nothing that the server wrote`() {
        let rejections: [Rejection] = [
            .redirect(location: "http://secret.example/"), .status(503, retryAfter: .seconds(77)), .wrongWindow,
            .rangesIgnored(.same), .rangesIgnored(.different), .missingContentRange, .malformedContentRange,
            .unknownTotal, .contradictoryLength, .lengthChanged, .validatorsChanged, .encoded, .multipart, .captive,
            .rangeNotSatisfiable(total: 77), .redirect(location: nil),
        ]
        for rejection in rejections {
            #expect(!rejection.description.contains("secret") && !rejection.description.contains("77"))
        }
        #expect(Set(rejections.map(\.description)).count == rejections.count)
    }

    @Test func `whatever is accepted begins where it was asked to and ends within`() {
        var texts = UntrustedText(seed: 4)
        let numbers = ["0", "1", "9", "10", "11", "19", "20", "99", "100", "101", "*", "9223372036854775807", "-1", ""]
        var acceptedCount = 0
        for _ in 0..<50_000 {
            let picks = (0..<4).map { _ in numbers[texts.number(below: numbers.count)] }
            var lines = ["Content-Range: bytes \(picks[0])-\(picks[1])/\(picks[2])"]
            if texts.number(below: 2) == 0 { lines.append("Content-Length: \(picks[3])") }
            let answer = makeHead(texts.number(below: 8) == 0 ? 200 : 206, lines)
            let resource = texts.number(below: 2) == 0 ? Self.lengthOnly : .unknown
            let start = Int64(texts.number(below: 2) * 10)
            guard case .accept(let end) = verdict(.range(start..<20), answer, of: resource) else { continue }
            acceptedCount += 1
            #expect(answer.status == 206 && answer.contentRange.value?.range?.lowerBound == start)
            #expect(end.map { $0 > start && $0 <= 20 } == true)
            #expect(answer.contentLength == .absent || answer.contentLength.value == end.map { $0 - start })
        }
        #expect(acceptedCount > 50)
    }
}
