import SegmentedDownloadCore
import Testing

struct RetryAfterTests {
    @Test(
        arguments: [
            ("0", 0), ("2", 2), (" 120 ", 120), ("86400", 86_400),
            ("99999999999999999999999", RetryAfter.maximumSeconds), ("9223372036854775807", RetryAfter.maximumSeconds),
            ("T1000", 0), ("T1060", 60), ("T9223372036854775807", RetryAfter.maximumSeconds),
        ] as [(String, Int64)]
    )
    func `seconds and dates give a bounded wait`(_ text: String, _ seconds: Int64) throws {
        let field = try #require(RetryAfter(text, parseDate: parseTestDate))
        #expect(field.wait(now: 1000) == .seconds(seconds))
    }

    @Test(arguments: ["", " ", "-5", "+5", "1.5", "5 s", "soon", "T", "1e3", "٣"])
    func `anything else is no wait`(_ text: String) {
        #expect(RetryAfter(text, parseDate: parseTestDate) == nil)
    }

    @Test func `a text without letters is not given to the date parser`() {
        #expect(RetryAfter("-5", parseDate: { _ in 7 }) == nil)
    }

    @Test(arguments: [("T999", 1000), ("T-9223372036854775808", Int64.max)])
    func `a date in the past asks for no wait`(_ text: String, _ now: Int64) throws {
        #expect(try #require(RetryAfter(text, parseDate: parseTestDate)).wait(now: now) == nil)
    }

    @Test func `a clock before 1970 does not overflow`() {
        #expect(RetryAfter.date(.max).wait(now: .min) == .seconds(RetryAfter.maximumSeconds))
    }
}
