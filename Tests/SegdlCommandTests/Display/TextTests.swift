import SegdlCommand
import Testing

struct TextTests {
    @Test(
        arguments: [
            (0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1536, "1.5 KiB"), (1_048_575, "1.0 MiB"),
            (1 << 30, "1.0 GiB"),
            (1 << 40, "1.0 TiB"), (Int64.max, "8.0 EiB"), (-5, "0 B"),
        ] as [(Int64, String)]
    )
    func `bytes are shown in powers of 1024`(_ byteCount: Int64, _ expected: String) {
        #expect(ByteText.text(byteCount) == expected)
    }

    @Test func `rates are always finite`() {
        #expect(ByteText.rate(.infinity) == "0 B/s")
        #expect(ByteText.rate(.nan) == "0 B/s")
        #expect(ByteText.rate(1e300).hasSuffix("EiB/s"))
    }

    @Test func `a pair is shown in the unit of the whole`() {
        #expect(ByteText.pair(441 << 20, of: 1 << 30) == "0.4/1.0 GiB")
        #expect(ByteText.pair(3, of: 10) == "3/10 B")
        #expect(ByteText.pair(0, of: 0) == "0/0 B")
    }

    @Test(
        arguments: [(0, "0:00"), (5, "0:05"), (65, "1:05"), (3723, "1:02:03"), (172_800, "2 d 0 h")]
            as [(Int64, String)]
    )
    func `a span is shown as a clock`(_ seconds: Int64, _ expected: String) {
        #expect(TimeText.clock(seconds) == expected)
    }

    @Test(arguments: [
        (Duration.milliseconds(3), "0.00 s"), (.milliseconds(20), "0.02 s"), (.milliseconds(900), "0.9 s"),
        (.milliseconds(59_940), "59.9 s"), (.milliseconds(59_960), "1:00"), (.seconds(65), "1:05"),
    ])
    func `what a download took is shown`(_ duration: Duration, _ expected: String) {
        #expect(TimeText.taken(duration) == expected)
    }

    @Test func `decimals are rounded and never trap`() {
        #expect(DecimalText.fixed(-0.25, places: 1) == "-0.3")
        #expect(DecimalText.fixed(1.0005, places: 3) == "1.001" || DecimalText.fixed(1.0005, places: 3) == "1.000")
        #expect(DecimalText.fixed(.infinity, places: 2) == "0.00")
        #expect(DecimalText.fixed(-.greatestFiniteMagnitude, places: 3) == "-1000000000000000.000")
        #expect(DecimalText.shortest(0.5) == "0.5")
        #expect(DecimalText.shortest(20) == "20")
    }

    @Test(
        arguments: [
            (0, 100, 0), (1, 100, 1), (999, 1000, 99), (100, 100, 100), (200, 100, 100), (0, 0, 100), (-1, 100, 0),
            (Int64.max - 1, Int64.max, 99), (Int64.max, Int64.max, 100),
        ] as [(Int64, Int64, Int)]
    )
    func `a percent is 100 only where all is held`(_ held: Int64, _ length: Int64, _ expected: Int) {
        #expect(Percent.value(held: held, of: length) == expected)
    }

    @Test func `the map is full only where all of a cell is, and empty only where nothing is`() {
        #expect(SegmentMapText.text([0, 0.0001, 0.5, 0.9999, 1], isUnicode: true) == " ▏▌▉█")
        #expect(SegmentMapText.text([0, 0.0001, 0.5, 0.9999, 1], isUnicode: false) == " .:=#")
    }

    @Test(arguments: [
        ("plain.iso", "plain.iso"), ("a\u{1B}[2Jb", "a?[2Jb"), ("a\r\nb", "a??b"), ("\u{9B}31m", "?31m"),
        ("a\u{202E}b", "a?b"), ("\u{7F}", "?"), ("ä漢", "ä漢"), ("\u{2028}", "?"),
    ])
    func `text from elsewhere never commands the terminal`(_ text: String, _ expected: String) {
        #expect(Terminal.sanitised(text) == expected)
        #expect(Terminal.sanitised(text, isASCII: true).utf8.allSatisfy { (0x20..<0x7F).contains($0) })
    }

    @Test func `text is clipped to columns, not characters`() {
        #expect(Terminal.clipped("abcdef", to: 6) == "abcdef")
        #expect(Terminal.clipped("abcdef", to: 4) == "abc~")
        #expect(Terminal.clipped("漢漢漢", to: 4) == "漢~")
        #expect(Terminal.clipped("abc", to: 0) == "")
        #expect(Terminal.width(of: "e\u{301}漢") == 3)
    }

    @Test(arguments: [
        ("https://me:secret@example.org/a/b?token=secret#secret", "https://example.org/a/b"),
        ("https://a@b@example.org", "https://example.org"), ("me:secret@example.org/x", "example.org/x"),
        ("https://example.org/a@b", "https://example.org/a@b"), ("https://example.org?x=://me@", "https://example.org"),
        ("", ""), ("http://a/\u{1B}[0m", "http://a/?[0m"), ("http://h:80/a", "http://h:80/a"),
        ("http://[::1]:80/a", "http://[::1]:80/a"), ("localhost:80/a", "localhost:80/a"),
        // A password with a slash, a question mark or a hash; a slash too few; marks that hide a delimiter.
        ("http://me:se/cret@h/a", "http://[hidden]"), ("http://me:se?cret@h/a", "http://[hidden]"),
        ("http://me:se#cret@h/a", "http://[hidden]"), ("http:/me:secret@h/a", "http:/h/a"),
        ("http://h/a?\u{301}secret", "http://h/a"), ("http://me:secret@\u{301}h/a", "http://\u{301}h/a"),
    ])
    func `a redacted URL holds no secret`(_ url: String, _ expected: String) {
        #expect(RedactedURL.text(of: url) == expected)
    }
}
