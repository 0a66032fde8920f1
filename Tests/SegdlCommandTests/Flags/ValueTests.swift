import SegdlCommand
import Testing

struct ValueTests {
    private static let anySize: ClosedRange<Int64> = 0...Int64.max

    @Test(
        arguments: [
            ("0", 0), ("1", 1), ("65536", 65536), ("1K", 1024), ("1k", 1024), ("1KB", 1024), ("1KiB", 1024),
            ("1kib", 1024),
            ("2M", 2 << 20), ("3G", 3 << 30), ("1T", 1 << 40), ("1.5M", 3 << 19), ("0.5K", 512), ("12B", 12),
            ("1.0", 1), ("0.333333333333K", 341), ("9223372036854775807", Int64.max), ("8388607T", 8_388_607 << 40),
        ] as [(String, Int64)]
    )
    func `a size is read exactly`(_ text: String, _ expected: Int64) throws {
        #expect(try Value.size(text, in: Self.anySize) == expected)
    }

    @Test(arguments: [
        "", "K", "-1", "+1", "1X", "1KK", "1 K", "1.5", "1.", ".5K", "1..5K", "1.5.K", "1e3", "0x10", "１", "1iB", "KiB",
        "9223372036854775808", "18446744073709551616", "8388608T", "99999999999999999999999G", "9007199254740992T",
        "1Kß",
    ])
    func `what is no size, or too large a one, is refused`(_ text: String) {
        #expect(throws: Flag.ValueError.self) { try Value.size(text, in: Self.anySize) }
    }

    @Test(arguments: [
        ("0", Duration.zero), ("2", .seconds(2)), ("0.5", .milliseconds(500)), ("0.000000001", .nanoseconds(1)),
        ("1.9999999999", .nanoseconds(1_999_999_999)),
    ])
    func `seconds are read exactly`(_ text: String, _ expected: Duration) throws {
        #expect(try Value.seconds(text, in: .zero ... .seconds(100)) == expected)
    }

    @Test(arguments: ["", "-1", "1s", "inf", "nan", "1e3", "101", "99999999999999999999", "18446744073709551615"])
    func `what is no span, or too long a one, is refused`(_ text: String) {
        #expect(throws: Flag.ValueError.self) { try Value.seconds(text, in: .zero ... .seconds(100)) }
    }

    @Test(arguments: [
        "Range: bytes=0-1", "if-range: x", "If-None-Match: x", "Accept-Encoding: gzip", "Content-Length: 1",
    ])
    func `headers that would make the file wrong are refused`(_ line: String) {
        #expect(throws: Flag.ValueError.self) { try HeaderLine.checked(line) }
    }

    @Test(arguments: ["no colon", ": x", "Na me: x", "Name: a\nb", "Name: a\u{0}b", "Né: x", "Name\r: x"])
    func `what is no header is refused`(_ line: String) {
        #expect(throws: Flag.ValueError.self) { try HeaderLine.checked(line) }
    }

    @Test func `a header file has one a line, with any line ends`() throws {
        #expect(try HeaderLine.lines(of: "A: b\r\n\r\n \nC: d\n\nE:f") == ["A: b", "C: d", "E:f"])
    }

    @Test(arguments: [("job", "jobs"), ("jbos", "jobs"), ("quite", "quiet"), ("stall-time", "stall-timeout")])
    func `a name with a slip of the pen finds its option`(_ typed: String, _ meant: String) {
        #expect(Suggestion.nearest(to: typed, among: FlagTable.flags.map(\.long)) == meant)
    }

    @Test(arguments: ["", "x", "zebra", String(repeating: "jobs", count: 1000)])
    func `a name that is far from all finds none`(_ typed: String) {
        #expect(Suggestion.nearest(to: typed, among: FlagTable.flags.map(\.long)) == nil)
    }
}
