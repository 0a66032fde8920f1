package import SegmentedDownload

/// Makes entries of the lines of a list: a URL a line, and indented `key=value` lines that belong to the URL above, as
/// in aria2's lists. Blank lines and lines that begin with `#` are left out. What is wrong with a line is its entry's
/// error, and no other's.
package struct ListParser: Sendable {
    /// An entry, or why there is none.
    package typealias Item = Result<ListEntry, DownloadError>

    /// How many bytes the lines of an entry may have together: no server takes more headers.
    package static let longestEntry = 1 << 20

    /// What a line is, by its first bytes.
    private enum Kind {
        case nothing
        case url
        case option
    }

    private struct Pending {
        var entry: ListEntry
        var error: DownloadError?
        var byteCount: Int
    }

    private let name: String
    private var pending: Pending?
    private var wasBegunEarly = false

    /// No line so far.
    ///
    /// - Parameter name: How messages call the list.
    package init(name: String) {
        self.name = name
    }

    /// Whether an entry is here that further lines may belong to.
    package var hasPending: Bool { pending != nil }

    /// Takes the next line.
    ///
    /// - Parameter line: The line.
    /// - Returns: What is complete by it: the entry before, or a line that is wrong by itself.
    package mutating func add(_ line: ListLine) -> Item? {
        switch Self.kind(of: line) {
        case .nothing: return nil
        case .option: return addOption(line)
        case .url:
            let previous = finish()
            wasBegunEarly = false
            pending = Pending(entry: ListEntry(url: ""), error: nil, byteCount: line.bytes.count)
            attempt(line) { (text, entry) throws(Flag.ValueError) in
                if let sentence = Self.problem(ofURL: text) { throw .sentence(sentence) }
                entry.url = text
            }
            return previous
        }
    }

    /// Completes the last entry.
    ///
    /// - Parameter isEarly: Whether lines that belong to it may still come: they are errors then.
    /// - Returns: The entry; `nil` where there is none.
    package mutating func finish(isEarly: Bool = false) -> Item? {
        guard let last = pending else { return nil }
        pending = nil
        wasBegunEarly = isEarly
        return last.error.map { .failure($0) } ?? .success(last.entry)
    }

    /// How many items the lines of a list make, without making them.
    ///
    /// - Parameters:
    ///   - line: The next line.
    ///   - count: Those of the lines before; counts on.
    package static func count(_ line: ListLine, _ count: inout Int) {
        switch kind(of: line) {
        case .nothing: break
        case .url: count += 1
        case .option: if count == 0 { count = 1 }
        }
    }

    private static func kind(of line: ListLine) -> Kind {
        guard let first = line.bytes.first else { return .nothing }
        let isIndented = isSpace(first)
        guard let start = isIndented ? line.bytes.first(where: { !isSpace($0) }) : first else { return .nothing }
        if start == UInt8(ascii: "#") { return .nothing }
        return isIndented ? .option : .url
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    private mutating func addOption(_ line: ListLine) -> Item? {
        guard var current = pending else { return orphan(line) }
        current.byteCount += line.bytes.count
        pending = current
        attempt(line) { (text, entry) throws(Flag.ValueError) in
            guard current.byteCount <= Self.longestEntry else {
                throw .sentence("The lines below a URL are longer than 1 MiB together.")
            }
            try Self.set(text, &entry)
        }
        return nil
    }

    /// A line below no URL. One error is enough for all of them.
    private mutating func orphan(_ line: ListLine) -> Item? {
        var sentence = "An indented line belongs to the URL above it, and there is none."
        if wasBegunEarly {
            sentence = "This line came so late that its URL had been begun without it: write both at once."
        }
        pending = Pending(entry: ListEntry(url: ""), error: error(sentence, in: line), byteCount: 0)
        return nil
    }

    /// Reads a line into the pending entry; only the first thing that is wrong with an entry is told.
    private mutating func attempt(
        _ line: ListLine,
        _ body: (_ text: String, _ entry: inout ListEntry) throws(Flag.ValueError) -> Void
    ) {
        guard var current = pending, current.error == nil else { return }
        do throws(Flag.ValueError) {
            try body(Self.text(of: line), &current.entry)
        } catch {
            switch error {
            case .reason(let text), .sentence(let text): current.error = self.error(text, in: line)
            }
            if !current.entry.url.isEmpty { current.error?.url = RedactedURL.text(of: current.entry.url) }
        }
        pending = current
    }

    private func error(_ sentence: String, in line: ListLine) -> DownloadError {
        .usage("Line \(line.number) of \(name): \(sentence)")
    }

    private static func text(of line: ListLine) throws(Flag.ValueError) -> String {
        guard !line.isCut else { throw .sentence("The line is longer than \(LineSplitter.longestLine / 1024) KiB.") }
        // A zero would end a name early, and U+FFFD would be another name.
        guard !line.bytes.contains(0), let text = String(validating: line.bytes, as: UTF8.self) else {
            throw .sentence("The line is not text in UTF-8.")
        }
        return trimmed(text[...])
    }

    private static func trimmed(_ text: Substring) -> String {
        let bytes = text.utf8
        guard let start = bytes.firstIndex(where: { !isSpace($0) }), let end = bytes.lastIndex(where: { !isSpace($0) })
        else { return "" }
        return String(text[start...end])
    }

    private static func problem(ofURL text: String) -> String? {
        guard !text.utf8.contains(UInt8(ascii: "\t")) else {
            return "Several URLs for one file, divided by tabs, are not supported: write one URL a line."
        }
        return Operands.problem(text, after: nil)
    }

    private static func set(_ text: String, _ entry: inout ListEntry) throws(Flag.ValueError) {
        let words = ListEntry.Key.allCases.map { "'\($0.rawValue)='" }.joined(separator: ", ")
        // What is no name may be anything, a URL with a password too, and is not shown.
        guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")), isName(trimmed(text[..<equals])) else {
            throw .sentence("An indented line is written KEY=VALUE, with one of \(words).")
        }
        let name = trimmed(text[..<equals])
        guard let key = ListEntry.Key(rawValue: name) else {
            throw .sentence("The key '\(name)' is not known: there are \(words).")
        }
        do throws(Flag.ValueError) {
            try entry.set(key, trimmed(text[text.utf8.index(after: equals)...]))
        } catch {
            guard case .reason(let reason) = error else { throw error }
            throw .sentence("The value of '\(name)=' is invalid: \(reason).")
        }
    }

    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 32
            && text.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == UInt8(ascii: "-") }
    }
}
