/// Walks the `name=value` parameters of a `Content-Disposition` value. Whatever has no `=` is passed over: the
/// disposition type, where there is one, and junk.
struct DispositionParameters {
    /// The longest value that is looked at, in bytes: a longer one holds no usable name, and looking for the second
    /// of many single quotes takes the square of the length.
    static let maximumByteCount = 8192

    private var rest: ArraySlice<UInt8>

    init(_ fieldValue: String) {
        rest = fieldValue.utf8.count <= Self.maximumByteCount ? Array(fieldValue.utf8)[...] : []
    }

    /// The next parameter; its value without quotes and escapes.
    mutating func next() -> (name: ArraySlice<UInt8>, value: [UInt8])? {
        while !rest.isEmpty {
            let name = rest.prefix { $0 != ASCII.equals && $0 != ASCII.semicolon }
            rest = rest.dropFirst(name.count)
            let delimiter = rest.popFirst()
            if delimiter == ASCII.equals { return (Self.lastWord(name), value()) }
        }
        return nil
    }

    /// The part after the last space: `attachment filename=x` lacks its semicolon.
    private static func lastWord(_ name: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let trimmed = name.trimmingWhitespace()
        guard let space = trimmed.lastIndex(where: { $0 == ASCII.space || $0 == ASCII.tab }) else { return trimmed }
        return trimmed[(space + 1)...]
    }

    private mutating func value() -> [UInt8] {
        rest = rest.drop { $0 == ASCII.space || $0 == ASCII.tab }
        if rest.first == ASCII.quote { return quoted() }
        return singleQuoted() ?? bare()
    }

    /// A quoted string; one without its closing quote goes on to the end.
    ///
    /// A backslash escapes a quote or a backslash only: elsewhere it is part of a Windows path, whose last part
    /// would be lost with it.
    private mutating func quoted() -> [UInt8] {
        rest.removeFirst()
        var value: [UInt8] = []
        while let byte = rest.popFirst(), byte != ASCII.quote {
            let isEscape = byte == ASCII.backslash && (rest.first == ASCII.quote || rest.first == ASCII.backslash)
            value.append(isEscape ? rest.removeFirst() : byte)
        }
        skipToSemicolon()
        return value
    }

    /// `'name'`, which no RFC knows, where the second quote ends the parameter; else `nil`, and nothing is taken.
    private mutating func singleQuoted() -> [UInt8]? {
        guard rest.first == ASCII.apostrophe else { return nil }
        let inner = rest.dropFirst()
        for index in inner.indices where inner[index] == ASCII.apostrophe {
            let following = inner[(index + 1)...].drop { $0 == ASCII.space || $0 == ASCII.tab }
            guard following.first ?? ASCII.semicolon == ASCII.semicolon else { continue }
            rest = following.dropFirst()
            return Array(inner[..<index])
        }
        return nil
    }

    /// A token, or what was meant as one: everything up to the semicolon, spaces inside included.
    private mutating func bare() -> [UInt8] {
        let value = rest.prefix { $0 != ASCII.semicolon }
        rest = rest.dropFirst(value.count + 1)
        return Array(value.trimmingWhitespace())
    }

    private mutating func skipToSemicolon() {
        rest = rest.drop { $0 != ASCII.semicolon }.dropFirst()
    }
}
