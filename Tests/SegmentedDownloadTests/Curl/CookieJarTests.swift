@testable import SegmentedDownload
import Testing

struct CookieJarTests {
    private static func line(_ name: String, _ value: String, path: String = "/") -> String {
        "example.org\tFALSE\t\(path)\tFALSE\t0\t\(name)\t\(value)"
    }

    @Test func `what one answer changed does not undo what another did`() {
        let start = [Self.line("a", "1"), Self.line("b", "1")]
        let jar = CookieJar(start)
        jar.takeOver(from: start, to: [Self.line("a", "2"), Self.line("b", "1")])
        jar.takeOver(from: start, to: [Self.line("a", "1"), Self.line("b", "2"), Self.line("c", "1")])
        #expect(Set(jar.current.lines) == [Self.line("a", "2"), Self.line("b", "2"), Self.line("c", "1")])
    }

    @Test func `a cookie that an answer deleted is gone, and one of the same name elsewhere stays`() {
        let start = [Self.line("a", "1"), Self.line("a", "1", path: "/x")]
        let jar = CookieJar(start)
        jar.takeOver(from: start, to: [Self.line("a", "1", path: "/x")])
        #expect(jar.current.lines == [Self.line("a", "1", path: "/x")])
    }

    @Test func `an answer that changes nothing is no new version`() {
        let jar = CookieJar([Self.line("a", "1")])
        let before = jar.current
        jar.takeOver(from: before.lines, to: before.lines)
        #expect(jar.current == before)
    }

    @Test func `however many cookies a host sets, it has the newest few, and others keep theirs`() {
        let other = "other.example\tFALSE\t/\tFALSE\t0\tkept\t1"
        let jar = CookieJar([other])
        for round in 0..<100 {
            let before = jar.current.lines
            let new = (0..<50).map { Self.line("c\(round)-\($0)", String(repeating: "x", count: 4000)) }
            jar.takeOver(from: before, to: before + new)
            #expect(jar.current.lines.last == new.last)
        }
        #expect(jar.current.lines.contains(other))
        #expect(jar.current.lines.reduce(0) { $0 + $1.utf8.count } < 70_000)
    }

    @Test func `files of both formats are read, and expired cookies are left out`() throws {
        let text = """
            # Netscape HTTP Cookie File\r
            .example.org\tTRUE\t/\tFALSE\t0\tplain\tp\r
            #HttpOnly_host.example\tFALSE\t/x\tTRUE\t4102444800\tsecure\ts
            old.example\tFALSE\t/\tFALSE\t1000\told\to
            Set-Cookie: bound=b; Domain=set.example; Path=/y
            Set-Cookie: free=f; Path=/
            ALL
            RELOAD
            garbage
            """
        let contents = try CookieJar.read(text)
        #expect(
            Set(contents.lines) == [
                ".example.org\tTRUE\t/\tFALSE\t0\tplain\tp",
                "#HttpOnly_host.example\tFALSE\t/x\tTRUE\t4102444800\tsecure\ts",
                ".set.example\tTRUE\t/y\tFALSE\t0\tbound\tb",
            ]
        )
        #expect(contents.unbound == [.init(pair: "free=f", isSecure: false)])
    }
}
