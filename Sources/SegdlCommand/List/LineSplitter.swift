/// A line of a list.
package struct ListLine: Sendable, Equatable {
    /// From 1.
    package var number: Int
    /// Its bytes without what ends it, LF or CRLF; at most ``LineSplitter/longestLine`` of them.
    package var bytes: [UInt8]
    /// Whether there were more.
    package var isCut: Bool

    /// A line.
    package init(number: Int, bytes: [UInt8], isCut: Bool = false) {
        self.number = number
        self.bytes = bytes
        self.isCut = isCut
    }
}

/// Makes lines of bytes that come in pieces of any size. A byte order mark at the start is left out.
package struct LineSplitter: Sendable {
    /// How many bytes a line may have. Signed URLs have a few thousand.
    package static let longestLine = 64 * 1024
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private var part = ListLine(number: 1, bytes: [])

    /// Nothing read so far.
    package init() {}

    /// Whether the beginning of a line is here, and not its end.
    package var isWithinLine: Bool { !part.bytes.isEmpty }

    /// Takes the next bytes.
    ///
    /// - Parameters:
    ///   - bytes: What follows the bytes before.
    ///   - body: Called with each line that they end.
    package mutating func add(_ bytes: ArraySlice<UInt8>, _ body: (ListLine) -> Void) {
        var rest = bytes
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            append(rest[..<end])
            body(take())
            rest = rest[(end + 1)...]
        }
        append(rest)
    }

    /// The line that no line feed ends.
    ///
    /// - Returns: The last line; `nil` where the last byte was a line feed, or there was none.
    package mutating func finish() -> ListLine? {
        isWithinLine ? take() : nil
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>) {
        // One more than a line may have: it may be the CR of its end.
        let room = Self.longestLine + 1 - part.bytes.count
        part.bytes += bytes.prefix(room)
        if bytes.count > room { part.isCut = true }
    }

    private mutating func take() -> ListLine {
        var line = part
        part = ListLine(number: line.number + 1, bytes: [])
        if line.number == 1, line.bytes.starts(with: Self.byteOrderMark) { line.bytes.removeFirst(3) }
        if line.bytes.last == UInt8(ascii: "\r"), !line.isCut { line.bytes.removeLast() }
        if line.bytes.count > Self.longestLine {
            line.bytes.removeLast(line.bytes.count - Self.longestLine)
            line.isCut = true
        }
        return line
    }
}
