/// The status and the fields of one response, as far as a download needs them. Every field is untrusted.
package struct ResponseHead: Sendable {
    /// What `Accept-Ranges` says (RFC 9110 §14.3).
    package enum AcceptRanges: Equatable, Sendable {
        /// Byte ranges are welcome.
        case bytes
        /// There are no ranges.
        case none
        /// Nothing was said; ranges may work all the same.
        case unstated
    }

    /// The status code.
    package let status: Int
    /// The body's length in bytes. Absent in a chunked response, where it does not count (RFC 9112 §6.3).
    package let contentLength: FieldReading<Int64>
    /// The part that a 206 holds.
    package let contentRange: FieldReading<ContentRange>
    /// Whether the server says that it has ranges.
    package let acceptRanges: AcceptRanges
    /// The entity tag, weak or strong; `nil` where there is none or it is malformed.
    package let entityTag: EntityTag?
    /// `Last-Modified` as it came, fit to be sent back in `If-Range`; `nil` where it is absent or no date.
    package let lastModifiedText: String?
    /// `Last-Modified` in seconds since 1970.
    package let lastModified: Int64?
    /// `Date` in seconds since 1970.
    package let date: Int64?
    /// `Content-Encoding` in lower case, several joined by commas; `nil` where the body is the resource's own bytes.
    /// Untrusted, never to be printed.
    package let contentEncoding: String?
    /// Whether the body is chunked, so that its end can be told from a cut.
    package let isChunked: Bool
    /// The media type `type/subtype` in lower case, without parameters; `nil` where it is absent or malformed.
    package let mediaType: String?
    /// `Content-Disposition` as it came; see ``ContentDisposition``.
    package let contentDisposition: String?
    /// `Location` as it came, without control characters and not empty; never to be printed raw.
    package let location: String?
    /// When the server wants to be asked again.
    package let retryAfter: RetryAfter?

    /// The longest date text that is looked at, in bytes; an HTTP date has at most 33 (RFC 9110 §5.6.7).
    package static let maximumDateByteCount = 64

    /// Reads a response.
    ///
    /// - Parameters:
    ///   - status: The status code.
    ///   - fields: The header fields in their order, without trailers; see `String.init(fieldBytes:)`.
    ///   - parseDate: Seconds since 1970 of an HTTP date; `nil` where it is none (`curl_getdate`).
    package init(status: Int, fields: [(name: String, value: String)], parseDate: (String) -> Int64?) {
        let fields = ResponseFields(fields)
        self.status = status
        isChunked = fields.members("transfer-encoding").contains { $0.equalsIgnoringCase("chunked") }
        contentLength = isChunked ? .absent : fields.contentLength
        contentRange =
            switch fields.single("content-range") {
            case .absent: .absent
            case .malformed: .malformed
            case .value(let text): ContentRange(text).map { .value($0) } ?? .malformed
            }
        acceptRanges = Self.acceptRanges(fields)
        entityTag = fields.single("etag").value.flatMap { EntityTag($0) }
        (lastModifiedText, lastModified) = Self.date("last-modified", fields, parseDate) ?? (nil, nil)
        date = Self.date("date", fields, parseDate)?.seconds
        let codings = fields.members("content-encoding").filter { !$0.equalsIgnoringCase("identity") }
        contentEncoding =
            codings.isEmpty ? nil : String(decoding: Array(codings.joined(separator: [ASCII.comma])), as: UTF8.self)
        mediaType = fields.mediaType
        contentDisposition = fields.values("content-disposition").first
        location = fields.values("location").first.flatMap { $0.isEmpty || $0.hasControlCharacter ? nil : $0 }
        retryAfter = fields.single("retry-after").value.flatMap { RetryAfter($0, parseDate: parseDate) }
    }

    /// Whether `Last-Modified` is a strong validator: 60 s older than `Date`, so that no second change can have
    /// happened within the same second unseen (RFC 9110 §8.8.2.2).
    package var isLastModifiedStrong: Bool {
        guard let date, let lastModified else { return false }
        let (age, overflows) = date.subtractingReportingOverflow(lastModified)
        return overflows ? date > lastModified : age >= 60
    }

    private static func acceptRanges(_ fields: ResponseFields) -> AcceptRanges {
        let units = fields.members("accept-ranges")
        if units.contains(where: { $0.equalsIgnoringCase("bytes") }) { return .bytes }
        return units.contains { $0.equalsIgnoringCase("none") } ? .none : .unstated
    }

    private static func date(
        _ name: String,
        _ fields: ResponseFields,
        _ parseDate: (String) -> Int64?
    ) -> (text: String, seconds: Int64)? {
        guard let text = fields.single(name).value, text.utf8.count <= maximumDateByteCount,
            text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }), let seconds = parseDate(text)
        else { return nil }
        return (text, seconds)
    }
}
