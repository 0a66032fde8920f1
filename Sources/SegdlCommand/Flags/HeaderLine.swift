/// Header lines as the user gives them.
package enum HeaderLine {
    /// A header line that may be sent.
    ///
    /// - Throws: What is wrong with it. The value, which may be a secret, is never part of that.
    package static func checked(_ line: String) throws(Flag.ValueError) -> String {
        guard let colon = line.firstIndex(of: ":") else {
            throw .reason("a header is written 'Name: value'")
        }
        let name = line[..<colon]
        guard !name.isEmpty, name.utf8.allSatisfy(isTokenByte) else {
            throw .reason("the name before the colon must be letters, digits and '-'")
        }
        _ = try Value.fieldValue(String(line[colon...]))
        guard !reserved.contains(name.lowercased()) else {
            throw .reason("segdl sets '\(name)' itself, and the file would be wrong with another one")
        }
        return line
    }

    /// The header lines of a file: one a line, blank lines left out, CRLF or LF.
    package static func lines(of text: String) throws(Flag.ValueError) -> [String] {
        var lines: [String] = []
        // CRLF is one Character, so the line feeds are looked for among the scalars.
        for part in text.unicodeScalars.split(separator: "\n") {
            let line = String(part.last == "\r" ? part.dropLast() : part)
            if !line.allSatisfy(\.isWhitespace) { lines.append(try checked(line)) }
        }
        return lines
    }

    /// Ranges, conditions, codings and the framing of the body are the engine's own.
    private static let reserved: Set<String> = [
        "range", "if-range", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since",
        "accept-encoding", "te", "transfer-encoding", "content-length",
    ]

    /// RFC 9110 §5.6.2.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
