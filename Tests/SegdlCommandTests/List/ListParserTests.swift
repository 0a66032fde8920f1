import SegdlCommand
import SegmentedDownload
import SegmentedDownloadTestSupport
import Testing

/// What a list makes.
private func items(_ text: String) -> [ListParser.Item] {
    items(Array(text.utf8))
}

private func items(_ bytes: [UInt8]) -> [ListParser.Item] {
    var splitter = LineSplitter()
    var parser = ListParser(name: "'list'")
    var items: [ListParser.Item?] = []
    splitter.add(bytes[...]) { items.append(parser.add($0)) }
    if let last = splitter.finish() { items.append(parser.add(last)) }
    items.append(parser.finish())
    return items.compactMap { $0 }
}

private func count(_ bytes: [UInt8]) -> Int {
    var splitter = LineSplitter()
    var count = 0
    splitter.add(bytes[...]) { ListParser.count($0, &count) }
    if let last = splitter.finish() { ListParser.count(last, &count) }
    return count
}

private func entry(_ url: String, _ change: (inout ListEntry) -> Void = { _ in }) -> ListEntry {
    var entry = ListEntry(url: url)
    change(&entry)
    return entry
}

extension ListParser.Item {
    fileprivate var message: String? {
        guard case .failure(let error) = self else { return nil }
        return error.kind == .usage ? error.message : "another kind"
    }
}

struct ListParserTests {
    @Test func `URLs stand one a line; blank lines and comments are left out`() throws {
        let text = "# first\nhttp://a/1\r\n\r\n   \n#http://a/2\n  # no key\nhttps://a/3?x=#y  \n"
        #expect(try items(text).map { try $0.get() } == [entry("http://a/1"), entry("https://a/3?x=#y")])
        #expect(items("").isEmpty && items("\n# nothing\n").isEmpty)
    }

    @Test func `indented lines belong to the URL above`() throws {
        let digest = String(repeating: "0a", count: 16)
        let text = """
            http://a/1
              out=sub/one = 1.bin
            \tdir = /data
            # between

              checksum=md5:\(digest)
             header=A: b=c
             header=D:
            http://a/2
              out=x
              out=y
              checksum=sha-1=\(String(repeating: "1", count: 40))
            """
        let first = entry("http://a/1") {
            $0.output = "sub/one = 1.bin"
            $0.directory = "/data"
            $0.checksum = Checksum("md5:\(digest)")
            $0.headers = ["A: b=c", "D:"]
        }
        let second = entry("http://a/2") {
            $0.output = "y"
            $0.checksum = Checksum("sha1:\(String(repeating: "1", count: 40))")
        }
        #expect(try items(text).map { try $0.get() } == [first, second])
    }

    @Test(arguments: [
        ("example.org/x", "'example.org/x' has no scheme: did you mean 'https://example.org/x'?"),
        (
            "ftp://u:secret@a/x?secret",
            "The scheme of 'ftp://a/x' is not supported: segdl fetches 'http://' and 'https://' URLs."
        ),
        (
            "http://a/\thttp://secret/",
            "Several URLs for one file, divided by tabs, are not supported: write one URL a line."
        ),
        ("http://a/\u{0}", "The line is not text in UTF-8."),
        ("http://a/\n split=5", "The key 'split' is not known: there are 'out=', 'dir=', 'checksum=', 'header='."),
        (
            "http://a/\n http://u:secret@b/?q=1",
            "An indented line is written KEY=VALUE, with one of 'out=', 'dir=', 'checksum=', 'header='."
        ),
        (
            "http://a/\n out",
            "An indented line is written KEY=VALUE, with one of 'out=', 'dir=', 'checksum=', 'header='."
        ),
        ("http://a/\n out=", "The value of 'out=' is invalid: it must not be empty."),
        ("http://a/\n out=-", "Writing to standard output is not there yet: give the name of a file."),
        ("http://a/\n dir= ", "The value of 'dir=' is invalid: it must not be empty."),
        ("http://a/\n header=secret", "The value of 'header=' is invalid: a header is written 'Name: value'."),
    ])
    func `what is wrong with a line is told with the list and its number, and without secrets`(
        _ text: String,
        _ sentence: String
    ) throws {
        let lineNumber = 1 + text.split(separator: "\n").count
        let all = items("http://good/1\n\(text)\nhttp://good/2\n")
        #expect(all.map(\.message) == [nil, "Line \(lineNumber) of 'list': \(sentence)", nil])
        #expect(try all[2].get() == entry("http://good/2"))
    }

    @Test func `the first thing that is wrong with an entry is told, once`() {
        let messages = items("http://a/\n out=\n split=1\nx y\n dir=\n").map(\.message)
        #expect(messages.map { $0?.prefix(7) } == ["Line 2 ", "Line 4 "])
    }

    @Test func `a bad checksum is an error of its line`() {
        #expect(items("http://a/\n checksum=md5:00\n")[0].message?.hasPrefix("Line 2 of 'list': The value of") == true)
    }

    @Test func `lines below no URL are one error, and the URL after them is not concerned`() throws {
        let all = items(" out=x\n dir=y\nhttp://a/\n")
        let sentence = "Line 1 of 'list': An indented line belongs to the URL above it, and there is none."
        #expect(all.map(\.message) == [sentence, nil])
    }

    @Test func `a line that is too long is an error, and a comment may be as long as it likes`() {
        let long = String(repeating: "x", count: LineSplitter.longestLine)
        #expect(items("#\(long)\nhttp://a/\n#\(long)\n").map(\.message) == [nil])
        let sentence = "The line is longer than 64 KiB."
        #expect(items("http://\(long)\nhttp://a/\n").map(\.message) == ["Line 1 of 'list': \(sentence)", nil])
        #expect(items("http://a/\n out=\(long)\n").map(\.message) == ["Line 2 of 'list': \(sentence)"])
    }

    @Test func `bytes that are no UTF-8 are an error, but not in a comment`() {
        #expect(
            items(Array("http://a/\n out=".utf8) + [0xE4, 0x0A])[0].message?.hasSuffix("not text in UTF-8.") == true
        )
        #expect(items([0x23, 0xE4, 0x0A] + Array("http://a/".utf8)).map(\.message) == [nil])
    }

    @Test func `the lines of an entry have a limit together`() {
        let header = " header=X: \(String(repeating: "x", count: 60_000))\n"
        let few = items("http://a/\n" + String(repeating: header, count: 17))
        #expect(few.map(\.message) == [nil])
        let many = items("http://a/\n" + String(repeating: header, count: 18) + "http://b/\n")
        #expect(
            many.map(\.message) == ["Line 19 of 'list': The lines below a URL are longer than 1 MiB together.", nil]
        )
    }

    @Test func `a line that comes after its URL was begun is an error of its own`() throws {
        var parser = ListParser(name: "'list'")
        #expect(parser.add(ListLine(number: 1, bytes: Array("http://a/".utf8))) == nil)
        #expect(try parser.finish(isEarly: true)?.get() == entry("http://a/"))
        #expect(parser.add(ListLine(number: 2, bytes: Array(" out=x".utf8))) == nil)
        let message = try #require(parser.finish()?.message)
        #expect(message.hasPrefix("Line 2 of 'list': This line came so late that its URL had been begun without it"))
    }

    @Test func `an entry's request is the run's with what the entry says`() {
        var request = DownloadRequest(url: "")
        request.directory = "d"
        request.headers = ["A: b"]
        #expect(entry("http://a/").request(from: request).directory == "d")
        let own = entry("http://a/") {
            ($0.directory, $0.output, $0.headers) = ("e", "o", ["C: d"])
            $0.checksum = Checksum("md5:\(String(repeating: "00", count: 16))")
        }.request(from: request)
        #expect(own.url == "http://a/" && own.directory == "e" && own.output == "o")
        #expect(own.headers == ["A: b", "C: d"] && own.checksum?.algorithm == .md5)
    }

    @Test(arguments: 0..<500)
    func `any lines make as many items as were counted, and no error is raw`(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let pieces: [[UInt8]] =
            [
                "http://a/", "https://b:1/c?d", "x", " ", "\t", "#", "\n", "\n", "\r\n", "out=", "dir=",
                "checksum=md5:00",
                "header=A: b", "=", "\u{1B}[31m", "\u{202E}", "-",
            ].map { Array($0.utf8) } + [[0xFF], [0], [0xC3]]
        let bytes = (0..<Int.random(in: 0...40, using: &random)).flatMap { _ in
            pieces.randomElement(using: &random) ?? []
        }
        let all = items(bytes)
        #expect(all.count == count(bytes))
        for item in all {
            switch item {
            case .success(let entry):
                #expect(entry.url.hasPrefix("http://") || entry.url.hasPrefix("https://"))
                #expect(!entry.url.utf8.contains(0) && !entry.url.utf8.contains(0x0A))
                #expect(entry.output?.isEmpty != true && entry.directory?.isEmpty != true)
            case .failure(let error):
                #expect(error.message.hasPrefix("Line "))
                #expect(!error.message.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E })
            }
        }
    }
}
