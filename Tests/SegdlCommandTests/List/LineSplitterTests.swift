import SegdlCommand
import SegmentedDownloadTestSupport
import Testing

struct LineSplitterTests {
    /// The lines of a text that comes in pieces of some size.
    private static func lines(_ bytes: [UInt8], pieces: Int) -> [ListLine] {
        var splitter = LineSplitter()
        var lines: [ListLine] = []
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            splitter.add(bytes[start..<min(start + pieces, bytes.count)]) { lines.append($0) }
        }
        return lines + [splitter.finish()].compactMap { $0 }
    }

    private static func texts(_ text: String, pieces: Int = 1) -> [String] {
        lines(Array(text.utf8), pieces: pieces).map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test(arguments: 1...5)
    func `LF and CRLF end a line, also in the middle of a piece, and the last one needs neither`(_ pieces: Int) {
        #expect(Self.texts("a\r\nb\n\nc\rd\r\n", pieces: pieces) == ["a", "b", "", "c\rd"])
        #expect(Self.texts("a\nb", pieces: pieces) == ["a", "b"])
        #expect(Self.texts("a\r", pieces: pieces) == ["a"])
        #expect(Self.texts("", pieces: pieces).isEmpty)
    }

    @Test(arguments: 1...4)
    func `a byte order mark counts at the start alone`(_ pieces: Int) {
        #expect(Self.texts("\u{FEFF}a\n\u{FEFF}b", pieces: pieces) == ["a", "\u{FEFF}b"])
        #expect(Self.texts("\u{FEFF}\n", pieces: pieces) == [""])
    }

    @Test func `lines are numbered from 1, the empty ones too`() {
        #expect(Self.lines(Array("\n\na\n".utf8), pieces: 2).map(\.number) == [1, 2, 3])
    }

    @Test(arguments: [-1, 0, 1, 2, 1000], ["\n", "\r\n", ""])
    func `a line has its limit, and only what is beyond is lost`(_ excess: Int, _ end: String) {
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: LineSplitter.longestLine + excess)
        let lines = Self.lines(long + Array("\(end)".utf8) + Array((end.isEmpty ? "" : "next").utf8), pieces: 5000)
        #expect(lines.count == (end.isEmpty ? 1 : 2))
        #expect(lines[0].bytes == Array(long.prefix(LineSplitter.longestLine)))
        #expect(lines[0].isCut == (excess > 0))
        #expect(end.isEmpty || lines[1] == ListLine(number: 2, bytes: Array("next".utf8)))
    }

    @Test(arguments: 0..<200)
    func `pieces make no difference`(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let alphabet: [UInt8] = [0x0A, 0x0D, 0x20, 0x23, 0x61, 0xEF, 0xBB, 0xBF, 0x00]
        let bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in
            alphabet.randomElement(using: &random) ?? 0
        }
        let whole = Self.lines(bytes, pieces: 100)
        for pieces in 1...7 { #expect(Self.lines(bytes, pieces: pieces) == whole) }
        // The plain way: every line feed ends a line.
        let feeds = bytes.count { $0 == 0x0A }
        #expect(whole.count == feeds + (bytes.isEmpty || bytes.last == 0x0A ? 0 : 1))
    }
}
