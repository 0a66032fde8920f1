import SegmentedDownloadCore
import Testing

struct FileNameTests {
    @Test(arguments: [
        ("a.zip", "a.zip"), ("My File (1).tar.gz", "My File (1).tar.gz"), ("naïve €.zip", "naïve €.zip"),
        ("../../x", "x"), ("/etc/passwd", "passwd"), ("..\\x", "x"), ("C:\\dir\\a.zip", "a.zip"), ("a/b\\c", "c"),
        ("a\\b/c", "c"), ("a/\u{301}b", "\u{301}b"), ("dir/", nil), ("dir\\", nil), ("/", nil), ("", nil),
        (".", nil), ("..", nil), ("...", nil), ("a/..", nil), (" ", nil), ("--", nil), (".-. -.", nil),
        (".bashrc", "bashrc"), ("..x", "x"), (".\u{301}x", "\u{301}x"), ("\u{202E}.x", "x"), ("\0.x", "x"),
        ("-rf", "rf"), ("-.-x", "x"), (" a b ", "a b"), ("\t.x", "x"), ("a-b.", "a-b."),
        ("a\0b", "ab"), ("a\r\nb", "ab"), ("a\u{1B}[31mb", "a[31mb"), ("a\u{7F}b", "ab"), ("a\u{9B}b", "ab"),
        ("\u{1}\u{2}", nil), ("a\u{202E}gpj.exe", "agpj.exe"), ("a\u{2066}b\u{2069}", "ab"), ("a\u{200F}b", "ab"),
        ("a\u{61C}b\u{FEFF}\u{2028}c", "abc"), ("👩‍👩‍👧.png", "👩‍👩‍👧.png"), ("CON", "CON"),
        ("x.segdl.part", "x_segdl.part"), ("x.segdl.journal", "x_segdl.journal"), ("x.SegDL.Part", "x_segdl.part"),
        ("x.segdl.part.zip", "x.segdl.part.zip"), (".segdl.part", "segdl.part"), ("x.segdl.part ", "x_segdl.part"),
        ("x.segdl.par\u{200B}t", "x_segdl.part"), ("x.segdl.jnew", "x_segdl.jnew"), ("x.SEGDL.JNEW", "x_segdl.jnew"),
        ("a\u{AD}b\u{180E}\u{FFF9}\u{E0001}c", "abc"), ("aux.c", "aux.c"), ("a:b*c?.zip", "a:b*c?.zip"), ("~", "~"),
    ])
    func `a name is made safe`(_ raw: String, _ expected: String?) {
        #expect(FileName.safe(raw) == expected)
    }

    @Test func `the longest name leaves room for the suffixes`() {
        #expect(FileName.maximumByteCount == 237)
        #expect(FileName.journalSuffix.utf8.count == 14)
    }

    @Test(arguments: [
        ("", 237, ".zip"), ("", 237, ""), ("", 237, ".tar.gz"), ("é", 236, ".zip"), ("é", 237, ""),
        ("👩‍👩‍👧", 237, ".png"), ("a", 300, ".not-an-extension-but-a-sentence"),
    ])
    func `a long name is cut before its extension, at a character's edge`(
        _ unit: String,
        _ count: Int,
        _ ending: String
    ) throws {
        let unit = unit.isEmpty ? "x" : unit
        let name = try #require(FileName.safe(String(repeating: unit, count: count) + ending))
        let isExtension = ending.utf8.count <= 16
        #expect(name.utf8.count <= FileName.maximumByteCount)
        #expect(name.utf8.count > FileName.maximumByteCount - unit.utf8.count)
        #expect(name.hasSuffix(ending) == isExtension || ending.isEmpty)
        #expect(name.dropLast(isExtension ? ending.count : 0).allSatisfy { String($0) == unit })
    }

    @Test func `a name that was cut behind a space is the same when it is made safe again`() throws {
        // A rerun would look for the part file by another name.
        let raw = String(repeating: "x", count: 236) + " " + String(repeating: "y", count: 20)
        let name = try #require(FileName.safe(raw))
        #expect(name == String(repeating: "x", count: 236))
        #expect(FileName.safe(name) == name)
    }

    @Test(arguments: [(255, 237), (143, 125), (40, 32)])
    func `a file system with short names gets a shorter one`(_ limit: Int, _ expected: Int) {
        let path = "/" + String(repeating: "x", count: 300) + ".zip"
        let name = FileName.choose(contentDisposition: nil, requestedURLPath: path, finalURLPath: "", limit: limit)
        #expect(name == String(repeating: "x", count: expected - 4) + ".zip")
    }

    @Test(arguments: [237, 238])
    func `a name is cut only where it must be`(_ count: Int) {
        let raw = String(repeating: "x", count: count)
        #expect(FileName.safe(raw) == String(repeating: "x", count: 237))
    }

    @Test func `a character that is too long by itself is cut between its scalars`() throws {
        let name = try #require(FileName.safe("e" + String(repeating: "\u{301}", count: 500) + ".zip"))
        #expect(name.utf8.count == 237)
        #expect(name.hasSuffix(".zip"))
    }

    @Test func `a name that ends like a part file only after it was cut is neutralised`() throws {
        let stem = String(repeating: "x", count: 226) + ".segdl"
        let name = try #require(FileName.safe(stem + String(repeating: "y", count: 100) + ".part"))
        #expect(name == String(repeating: "x", count: 226) + "_segdl.part")
    }

    @Test(arguments: [
        ("/a/b.zip", "b.zip"), ("b.zip", "b.zip"), ("/a%20b", "a b"), ("/a%2520b", "a%20b"), ("/a%2Fb", "a_b"),
        ("/a%5Cb", "a_b"), ("/a\\b", "a_b"), ("/%2e%2e%2fx", ".._x"), ("/%", "%"), ("/%4", "%4"), ("/%zz", "%zz"),
        ("/a%00b", "a\0b"), ("/caf%C3%A9", "café"), ("/caf%E9", "café"), ("/café", "café"), ("/a/", nil), ("/", nil),
        ("", nil),
    ])
    func `the last part of a path is decoded once`(_ path: String, _ expected: String?) {
        #expect(FileName.lastPathComponent(ofURLPath: path) == expected)
    }

    @Test(arguments: [
        ("attachment; filename*=UTF-8''e; filename=p", "/r", "/f", "e"),
        ("attachment; filename*=UTF-8''%2e%2e; filename=p", "/r", "/f", "p"),
        ("attachment; filename*=UTF-8''%2e%2e%2fx", "/r", "/f", "x"),
        ("attachment; filename=\"..\"", "/r", "/f", "r"),
        ("attachment", "/r", "/f", "r"),
        (nil, "/r", "/f", "r"),
        (nil, "/", "/f", "f"),
        (nil, "/%2e%2e", "/f", "f"),
        (nil, "/%2e%2e%2fx", "/f", "_x"),
        (nil, "/a%00", "/f", "a"),
        (nil, "/", "", "index.html"),
        (nil, "/x.segdl.journal", "", "x_segdl.journal"),
    ])
    func `the name comes from the server, the URL given, the final URL, in this order`(
        _ disposition: String?,
        _ requested: String,
        _ final: String,
        _ expected: String
    ) {
        let name = FileName.choose(
            contentDisposition: disposition,
            requestedURLPath: requested,
            finalURLPath: final
        )
        #expect(name == expected)
    }

    @Test func `a name without a path is treated as the last part of one`() {
        var texts = UntrustedText(seed: 7)
        let long = String(repeating: "x", count: 120)
        let pieces = ["a", "~", "!", " ", ".", "-", "_", "é", "\u{7F}", "\t", ".segdl.part", long]
        for _ in 0..<20_000 {
            let text = texts.next(pieces: pieces)
            #expect(FileName.safe(text) == FileName.safe("/" + text))
        }
    }

    @Test func `no text makes a name unsafe`() {
        var texts = UntrustedText(seed: 6)
        let pieces = [
            "..", "/", "\\", "-", ".segdl.part", ".segdl.journal", "é", "\u{301}", "\u{202E}", "\u{9B}", "%2F", "%00",
            "filename=", "a", String(repeating: "x", count: 100), String(repeating: "👩‍👩‍👧", count: 12), ".tar", ".gz",
        ]
        for _ in 0..<20_000 {
            let name = FileName.choose(
                contentDisposition: texts.next(pieces: pieces),
                requestedURLPath: texts.next(pieces: pieces),
                finalURLPath: texts.next(pieces: pieces)
            )
            let bytes = Array(name.utf8)
            #expect(!bytes.isEmpty && bytes.count <= 237)
            #expect(!bytes.contains { $0 < 0x20 || $0 == 0x7F || $0 == 0x2F || $0 == 0x5C })
            #expect(bytes.first != 0x2E && bytes.first != 0x2D)
            #expect(!name.lowercased().hasSuffix(".segdl.part") && !name.lowercased().hasSuffix(".segdl.journal"))
        }
    }
}
