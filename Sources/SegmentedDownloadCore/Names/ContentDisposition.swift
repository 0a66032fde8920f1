/// The file names that a `Content-Disposition` field offers (RFC 6266), tolerant of the forms that servers really
/// send: no quotes round spaces, single quotes, no disposition type, backslashes of Windows paths, percent-encoding,
/// encoded words.
///
/// The names are untrusted; ``FileName/safe(_:)`` makes them fit for a file system.
package struct ContentDisposition: Equatable, Sendable {
    /// The name from `filename*` (RFC 8187), where it is well-formed UTF-8 or ISO-8859-1.
    package let extendedFileName: String?
    /// The name from `filename`.
    package let plainFileName: String?

    /// Reads a field.
    ///
    /// - Parameter fieldValue: The field's value.
    package init(_ fieldValue: String) {
        var parameters = DispositionParameters(fieldValue)
        var extended: String?
        var plain: String?
        while let parameter = parameters.next() {
            if parameter.name.equalsIgnoringCase("filename*") {
                extended = extended ?? Self.extendedText(parameter.value)
            } else if parameter.name.equalsIgnoringCase("filename") {
                plain = plain ?? Self.plainText(parameter.value)
            }
        }
        extendedFileName = extended
        plainFileName = plain
    }

    /// Decodes `charset'language'percent-encoded` (RFC 8187 §3.2).
    private static func extendedText(_ value: [UInt8]) -> String? {
        let parts = value.split(separator: ASCII.apostrophe, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let (bytes, isWellFormed) = parts[2].percentDecoded()
        guard isWellFormed, !bytes.isEmpty else { return nil }
        if parts[0].equalsIgnoringCase("UTF-8") { return String(validating: bytes, as: UTF8.self) }
        return parts[0].equalsIgnoringCase("ISO-8859-1") ? String(latin1: bytes) : nil
    }

    /// The name as it stands, or decoded where it is made of encoded words, or percent-decoded where every `%` has its
    /// digits and the result is UTF-8: browsers decode both, so servers count on it.
    private static func plainText(_ value: [UInt8]) -> String? {
        guard !value.isEmpty else { return nil }
        if let text = EncodedWords.decoded(value) { return text.isEmpty ? nil : text }
        let (bytes, isWellFormed) = value.percentDecoded()
        let decoded = isWellFormed ? String(validating: bytes, as: UTF8.self) : nil
        return decoded ?? String(decoding: value, as: UTF8.self)
    }
}
