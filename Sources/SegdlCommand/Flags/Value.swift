package import SegmentedDownload

/// Readers of option values. Each throws what is wrong with the value; the parser says where it stood.
package enum Value {
    /// A whole number in a range.
    package static func integer(_ text: String, in range: ClosedRange<Int>) throws(Flag.ValueError) -> Int {
        guard isDigits(text) else { throw .reason("it must be a whole number") }
        guard let number = Int(text), range.contains(number) else {
            throw .reason("it must be from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// One of several words.
    package static func choice<Choice>(
        _ text: String,
        of choices: [(word: String, choice: Choice)]
    ) throws(Flag.ValueError) -> Choice {
        if let match = choices.first(where: { $0.word == text }) { return match.choice }
        let words = choices.map { "'\($0.word)'" }
        throw .reason("it must be \(words.dropLast().joined(separator: ", ")) or \(words.last ?? "")")
    }

    /// A digest.
    package static func checksum(_ text: String) throws(Flag.ValueError) -> Checksum {
        guard let checksum = Checksum(text) else {
            let forms = Checksum.Algorithm.allCases.map { "\($0.rawValue) (\(2 * $0.byteCount) digits)" }
            throw .reason("it must be ALGORITHM:HEX, with \(forms.joined(separator: ", "))")
        }
        return checksum
    }

    /// A path that is not empty.
    package static func path(_ text: String) throws(Flag.ValueError) -> String {
        guard !text.isEmpty else { throw .reason("it must not be empty") }
        return text
    }

    /// The name of the file that is written.
    package static func output(_ text: String) throws(Flag.ValueError) -> String {
        guard text != "-" else {
            throw .sentence("Writing to standard output is not there yet: give the name of a file.")
        }
        return try path(text)
    }

    /// A list's name, or `-`.
    package static func listSource(_ text: String) throws(Flag.ValueError) -> Options.ListSource {
        text == "-" ? .standardInput : .file(try path(text))
    }

    /// The value of a header field: no control characters (RFC 9110 §5.5), since a line break would begin a new field.
    package static func fieldValue(_ text: String) throws(Flag.ValueError) -> String {
        guard !text.utf8.contains(where: { $0 != UInt8(ascii: "\t") && ($0 < 0x20 || $0 == 0x7F) }) else {
            throw .reason("it must not contain control characters")
        }
        return text
    }

    /// `USER`, or `USER:PASS`; the first colon divides them (RFC 7617 §2).
    package static func user(_ text: String) throws(Flag.ValueError) -> Options.User {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first, !name.isEmpty else { throw .reason("the user name is missing") }
        return Options.User(name: String(name), password: parts.count == 2 ? String(parts[1]) : nil)
    }

    /// A header line, or `@FILE`, or `@-`.
    package static func headerSource(_ text: String) throws(Flag.ValueError) -> Options.HeaderSource {
        guard text.first == "@" else { return .line(try HeaderLine.checked(text)) }
        let file = text.dropFirst()
        guard !file.isEmpty else { throw .reason("a file's name must follow the '@'") }
        return file == "-" ? .standardInput : .file(String(file))
    }

    /// Cookies where there is a `=`, as curl has it, else the name of a file with cookies.
    package static func cookieSource(_ text: String) throws(Flag.ValueError) -> Options.CookieSource {
        guard !text.isEmpty else {
            throw .sentence("Cookies that a server sets are always kept during a run: leave '--cookie \"\"' out.")
        }
        return text.contains("=") ? .data(try fieldValue(text)) : .file(text)
    }

    static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

    static func isDigits(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { digits.contains($0) }
    }
}
