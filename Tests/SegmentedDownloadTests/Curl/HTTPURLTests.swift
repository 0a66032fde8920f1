import SegmentedDownload
import Testing

@Suite struct HTTPURLTests {
    @Test(
        "Spaces and UTF-8 are encoded, what is encoded stays, brackets are no pattern, the fragment goes",
        arguments: [
            ("http://h/a b", "http://h/a%20b"),
            ("http://h/a%20b", "http://h/a%20b"),
            ("http://h/%5BAB%5D", "http://h/%5BAB%5D"),
            ("http://h/[1-3].zip", "http://h/[1-3].zip"),
            ("http://h/{a,b}", "http://h/{a,b}"),
            ("http://h/100%", "http://h/100%"),
            ("http://h/ü", "http://h/%c3%bc"),
            ("http://h/a+b", "http://h/a+b"),
            ("http://h/a%2Fb", "http://h/a%2Fb"),
            ("http://h/a;b", "http://h/a;b"),
            ("http://h/q?x=[1]", "http://h/q?x=[1]"),
            ("http://h/q?x=a b", "http://h/q?x=a%20b"),
            ("http://h/q?x=a+b", "http://h/q?x=a+b"),
            ("http://h/d.pdf#page=5", "http://h/d.pdf"),
            ("http://h/?id=3", "http://h/?id=3"),
            ("http://h?id=3", "http://h/?id=3"),
            ("http://h", "http://h/"),
            ("http://me:pass@h/a", "http://h/a"),
            ("HTTP://H/A", "http://H/A"),
        ]
    )
    func sent(text: String, expected: String) throws {
        let url = try HTTPURL(text)
        #expect(url.text == expected)
    }

    @Test(
        "A text that is no URL of http or https is refused",
        arguments: [
            "ftp://h/", "file:///etc/passwd", "h/a", "", "http://", "http://h:port/", "http://h:65536/",
            "http://h/a\u{1B}b",
            "http://h/a\nb", "http://h/\0", "http://a%C2%9Bb/", "http://a%E2%80%AEb/", "http://a%1Bb/",
        ]
    )
    func refused(text: String) {
        #expect(throws: HTTPURL.ParseError.self) { try HTTPURL(text) }
    }

    @Test(
        "A Location is resolved against the address that answered",
        arguments: [
            ("/b", "http://h/b"), ("b", "http://h/x/b"), ("../b", "http://h/b"), ("//o/b", "http://o/b"),
            ("https://o:8443/b?q#f", "https://o:8443/b?q"), ("?r", "http://h/x/a?r"), ("a b", "http://h/x/a%20b"),
            ("http://me:word@o/b", "http://o/b"), ("%2e%2e/b", "http://h/x/%2e%2e/b"),
        ]
    )
    func resolved(location: String, expected: String) throws {
        let url = try HTTPURL("http://h/x/a?q#f").resolving(location)
        #expect(url.text == expected)
    }

    @Test("A Location of another scheme is refused", arguments: ["file:///etc/passwd", "ftp://h/x", "javascript:x"])
    func otherScheme(location: String) throws {
        let base = try HTTPURL("http://h/x")
        #expect(throws: HTTPURL.ParseError.self) { try base.resolving(location) }
    }

    @Test(
        "What messages show holds no secret, and nothing that a terminal obeys",
        arguments: [
            ("http://me:pass@h/a?token=x#y", "http://h/a"), ("http://h/a%1B", "http://h/a%1B"),
            ("http://h?token=x", "http://h/"), ("http://münchen.de/ü", "http://münchen.de/%c3%bc"),
            ("http://h/a?\u{301}token", "http://h/a"),
        ]
    )
    func redacted(text: String, expected: String) throws {
        let url = try HTTPURL(text)
        #expect(url.redacted == expected)
    }
}
