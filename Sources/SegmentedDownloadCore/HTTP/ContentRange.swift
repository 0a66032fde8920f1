/// A `Content-Range` field in bytes (RFC 9110 §14.4).
///
/// Strict in its meaning, since bytes are written by it; lenient in white space and in the case of the unit.
package struct ContentRange: Equatable, Sendable {
    /// The part that the body holds, half-open, never empty; `nil` in the form `bytes */total` of a 416.
    package let range: Range<Int64>?
    /// The resource's length in bytes; `nil` where the server wrote `*`.
    package let total: Int64?

    /// Reads `bytes a-b/total`, `bytes a-b/*` or `bytes */total`; `nil` for another unit, for `a` > `b`,
    /// `b` >= `total`, and for numbers beyond `Int64`.
    ///
    /// - Parameter fieldValue: The field's value.
    package init?(_ fieldValue: String) {
        let bytes = fieldValue.utf8.trimmingWhitespace()
        let unit = "bytes"
        let rest = bytes.dropFirst(unit.utf8.count)
        guard bytes.prefix(unit.utf8.count).equalsIgnoringCase(unit),
            let next = rest.first, next == ASCII.space || next == ASCII.tab
        else { return nil }
        let parts = rest.split(separator: ASCII.slash, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        self.init(window: parts[0].trimmingWhitespace(), total: parts[1].trimmingWhitespace())
    }

    private init?(window: ArraySlice<UInt8>, total totalText: ArraySlice<UInt8>) {
        let total = totalText.decimalValue
        guard total != nil || totalText.elementsEqual("*".utf8) else { return nil }
        self.total = total
        if window.elementsEqual("*".utf8) {
            // `bytes */*` says nothing.
            guard total != nil else { return nil }
            range = nil
            return
        }
        let ends = window.split(separator: ASCII.dash, omittingEmptySubsequences: false)
        guard ends.count == 2, let first = ends[0].trimmingWhitespace().decimalValue,
            let last = ends[1].trimmingWhitespace().decimalValue,
            first <= last, last < total ?? .max
        else { return nil }
        range = first..<(last + 1)
    }
}

extension Range<Int64> {
    /// The inclusive form `a-b`, as `CURLOPT_RANGE` takes it (RFC 9110 §14.1.2).
    ///
    /// The range must not be empty, and begin at 0 or later: both are the scheduler's promise.
    package var inclusiveByteRange: String {
        precondition(!isEmpty && lowerBound >= 0, "a byte range that HTTP can't write")
        return "\(lowerBound)-\(upperBound - 1)"
    }
}
