import SegmentedDownloadCore
import Testing

struct ContentRangeTests {
    @Test(
        arguments: [
            ("bytes 0-0/1", 0..<1, 1),
            ("bytes 0-499/1234", 0..<500, 1234),
            ("bytes 734-1233/1234", 734..<1234, 1234),
            ("bytes 42-1233/*", 42..<1234, nil),
            ("bytes */1234", nil, 1234),
            ("bytes */0", nil, 0),
            ("BYTES 0-0/1", 0..<1, 1),
            (" \tbytes\t 0 - 0 / 1 \t", 0..<1, 1),
            ("bytes 000-009/0010", 0..<10, 10),
            ("bytes 0-9223372036854775806/9223372036854775807", 0..<Int64.max, Int64.max),
            ("bytes 9223372036854775806-9223372036854775806/*", (Int64.max - 1)..<Int64.max, nil),
        ] as [(String, Range<Int64>?, Int64?)]
    )
    func `a well-formed field gives its half-open range and its total`(
        _ text: String,
        _ range: Range<Int64>?,
        _ total: Int64?
    ) throws {
        let parsed = try #require(ContentRange(text))
        #expect(parsed.range == range)
        #expect(parsed.total == total)
    }

    @Test(arguments: [
        "", "bytes", "bytes ", "bytes0-1/2", "bytes=0-1/2", "bytes: 0-1/2", "items 0-1/2", "0-1/2",
        "bytes 1-0/2", "bytes 0-2/2", "bytes 0-1/1", "bytes 0-0/0", "bytes 0-1", "bytes 0-1/", "bytes 0-/2",
        "bytes -1/2", "bytes -1-1/2", "bytes 0--1/2", "bytes +0-1/2", "bytes 0-1/+2", "bytes 0-1/-2", "bytes */*",
        "bytes */", "bytes 0-1/2/3", "bytes 0-1-2/3", "bytes 0x0-1/2", "bytes 0-1/2, 0-1/2", "bytes 0 1-2/3",
        "bytes 0-9223372036854775807/*", "bytes 0-1/9223372036854775808",
        "bytes 0-99999999999999999999/99999999999999999999", "bytes ٠-١/٢", "bytes 0-1/2\0", "bytes 0-1/2\u{301}",
    ])
    func `a field that is malformed or means nothing is none`(_ text: String) {
        #expect(ContentRange(text) == nil)
    }

    @Test(arguments: [(0..<1, "0-0"), (5..<10, "5-9"), (0..<Int64.max, "0-9223372036854775806")])
    func `a half-open range is written inclusively`(_ range: Range<Int64>, _ text: String) {
        #expect(range.inclusiveByteRange == text)
    }

    @Test func `no text makes the parser trap or gives an empty or negative range`() {
        var texts = UntrustedText(seed: 1)
        var parsedCount = 0
        for _ in 0..<20_000 {
            let text = texts.next(pieces: ["bytes ", "0", "1", "9223372036854775807", "-", "/", "*", "bytes 0-1/2"])
            guard let parsed = ContentRange(text) else { continue }
            parsedCount += 1
            #expect(parsed.range != nil || parsed.total != nil)
            if let range = parsed.range {
                #expect(!range.isEmpty && range.lowerBound >= 0 && range.upperBound <= parsed.total ?? .max)
            }
        }
        #expect(parsedCount > 50)
    }
}
