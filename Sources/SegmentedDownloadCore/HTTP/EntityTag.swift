/// An `ETag` field (RFC 9110 §8.8.3).
package struct EntityTag: Equatable, Sendable {
    /// The tag with its quotes and without `W/`, as `If-Range` takes a strong one.
    package let text: String
    /// Whether equal tags promise equal bytes.
    ///
    /// A tag with bytes beyond ASCII counts as weak: fields are decoded to text, so that it could not be sent back,
    /// nor compared, byte by byte.
    package let isStrong: Bool

    /// The longest tag that is taken, in bytes, quotes included: it goes into the journal and into each request.
    package static let maximumByteCount = 1024

    /// Reads `"x"` or `W/"x"`; `nil` for a tag that proves nothing (empty) or breaks the form: unquoted, a quote or a
    /// control character inside, longer than ``maximumByteCount``.
    ///
    /// - Parameter fieldValue: The field's value.
    package init?(_ fieldValue: String) {
        var bytes = fieldValue.utf8.trimmingWhitespace()
        // The small `w/` is no valid form; weak is the reading that can't do harm.
        let isWeak = bytes.prefix(2).equalsIgnoringCase("W/")
        if isWeak { bytes.removeFirst(2) }
        guard bytes.count > 2, bytes.count <= Self.maximumByteCount,
            bytes.first == ASCII.quote, bytes.last == ASCII.quote,
            !bytes.dropFirst().dropLast().contains(ASCII.quote)
        else { return nil }
        text = String(decoding: bytes, as: UTF8.self)
        guard !text.hasControlCharacter else { return nil }
        isStrong = !isWeak && bytes.allSatisfy { $0 < 0x80 }
    }
}
