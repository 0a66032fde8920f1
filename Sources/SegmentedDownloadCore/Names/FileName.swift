/// Local names from what servers and URLs say.
package enum FileName {
    /// What a part file's name ends in.
    package static let partSuffix = ".segdl.part"
    /// What a journal's name ends in.
    package static let journalSuffix = ".segdl.journal"
    /// What the name of a journal ends in that is being made. No longer than ``journalSuffix``: a name whose journal
    /// fits can't fail here with ENAMETOOLONG.
    package static let newJournalSuffix = ".segdl.jnew"
    /// The name of a file for which nothing else gives one.
    package static let fallback = "index.html"
    /// The longest name in bytes that most file systems take: `NAME_MAX`.
    package static let usualLimit = 255
    /// The longest safe name in bytes where a file system takes ``usualLimit``.
    package static let maximumByteCount = maximumByteCount(limit: usualLimit)

    /// The longest safe name in bytes: the file system's limit, less the longest suffix and the `.NNN` of
    /// `--exists rename`.
    ///
    /// - Parameter limit: The longest name in bytes that the file system takes.
    /// - Returns: At least 32, room for an extension; no file system in use takes less.
    private static func maximumByteCount(limit: Int) -> Int {
        max(32, limit - journalSuffix.utf8.count - ".NNN".utf8.count)
    }

    /// Chooses the name of a download: the server's, else the last part of the URL's path as given, else of the final
    /// one, else ``fallback``.
    ///
    /// - Parameters:
    ///   - contentDisposition: The `Content-Disposition` field, where there is one.
    ///   - requestedURLPath: The path, still percent-encoded, of the URL as given.
    ///   - finalURLPath: The path, still percent-encoded, of the URL that answered.
    ///   - limit: The longest name in bytes that the file system takes.
    /// - Returns: A safe name.
    package static func choose(
        contentDisposition: String?,
        requestedURLPath: String,
        finalURLPath: String,
        limit: Int = usualLimit
    ) -> String {
        let disposition = contentDisposition.map { ContentDisposition($0) }
        let candidates = [
            { disposition?.extendedFileName }, { disposition?.plainFileName },
            { lastPathComponent(ofURLPath: requestedURLPath) }, { lastPathComponent(ofURLPath: finalURLPath) },
        ]
        return candidates.lazy.compactMap { $0().flatMap { safe($0, limit: limit) } }.first ?? fallback
    }

    /// The last part of a URL's path, percent-decoded once.
    ///
    /// Separators that come out of the decoding become `_`: `%2F` is part of a name, and never makes a path.
    ///
    /// - Parameter path: The path without query and fragment, still percent-encoded.
    /// - Returns: The part, not yet safe; `nil` where it is empty.
    package static func lastPathComponent(ofURLPath path: String) -> String? {
        let encoded = Array(path.utf8)
        let start = encoded.lastIndex(of: ASCII.slash).map { $0 + 1 } ?? 0
        guard start < encoded.count else { return nil }
        let bytes = encoded[start...].percentDecoded().bytes
            .map { $0 == ASCII.slash || $0 == ASCII.backslash ? UInt8(ascii: "_") : $0 }
        return String(fieldBytes: bytes)
    }

    /// A name that is safe to create in any folder: the part after the last `/` or `\`, without characters that a
    /// terminal or a reader could be fooled by, not hidden, no option, not one of segdl's own names, and short enough
    /// for its suffixes.
    ///
    /// - Parameters:
    ///   - raw: An untrusted name or path.
    ///   - limit: The longest name in bytes that the file system takes.
    /// - Returns: `nil` where nothing is left: an empty name, `.`, `..`, a path that ends in a separator.
    package static func safe(_ raw: String, limit: Int = usualLimit) -> String? {
        if isPlain(raw.utf8, maximumByteCount: maximumByteCount(limit: limit)) { return neutralised(raw) }
        // Scalars, since "." with a combining mark is another Character, but the same leading byte to the kernel.
        let lastPart = raw.unicodeScalars.reversed().prefix { $0 != "/" && $0 != "\\" }.reversed()
        var scalars = lastPart.filter { !isDeceptive($0) }[...]
        scalars = scalars.drop { $0 == "." || $0 == "-" || $0.properties.isWhitespace }
        let whole = trimmed(String(String.UnicodeScalarView(scalars)))
        let name = trimmed(shortened(whole, to: maximumByteCount(limit: limit)))
        return name.isEmpty ? nil : neutralised(name)
    }

    /// Whether all of a name is visible ASCII that is safe as it stands: nearly every name is.
    private static func isPlain(_ name: String.UTF8View, maximumByteCount: Int) -> Bool {
        guard let first = name.first, first != UInt8(ascii: "."), first != UInt8(ascii: "-") else { return false }
        return name.count <= maximumByteCount
            && name.allSatisfy { (0x21...0x7E).contains($0) && $0 != ASCII.slash && $0 != ASCII.backslash }
    }

    /// Without white space at the end.
    private static func trimmed(_ name: String) -> String {
        var scalars = name.unicodeScalars
        while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
        return String(scalars)
    }

    /// Whether a name is one that segdl gives to a part file or a journal, in any case since some file systems ignore
    /// it: another download's could be meant.
    package static func isReserved(_ name: String) -> Bool { reservedSuffix(of: name) != nil }

    private static func reservedSuffix(of name: String) -> String? {
        [partSuffix, journalSuffix, newJournalSuffix].first {
            name.utf8.suffix($0.utf8.count).equalsIgnoringCase($0)
        }
    }

    /// Whether a scalar is a control character, a line separator, or invisible and able to reorder what is shown
    /// (Unicode TR 36 §2.10). The joiners U+200C and U+200D, and the tags of some flags, are part of words and emoji, and
    /// stay.
    private static func isDeceptive(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xAD, 0x061C, 0x180E, 0x200B, 0x200E...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF,
            0xFFF9...0xFFFB, 0xE0001:
            true
        default: scalar.properties.generalCategory == .control
        }
    }

    /// Keeps a name from being taken for one of segdl's own.
    private static func neutralised(_ name: String) -> String {
        guard let suffix = reservedSuffix(of: name) else { return name }
        let stem = name.utf8.dropLast(suffix.utf8.count)
        return String(decoding: Array(stem) + Array("_".utf8) + Array(suffix.utf8.dropFirst()), as: UTF8.self)
    }
}
