/// A `Retry-After` field (RFC 9110 §10.2.3).
package enum RetryAfter: Equatable, Sendable {
    /// Seconds from the answer on, 0 up to ``maximumSeconds``.
    case seconds(Int64)
    /// A moment, in seconds since 1970.
    case date(Int64)

    /// Ten years: a longer wait means the same, and sums with it can't overflow.
    package static let maximumSeconds: Int64 = 10 * 366 * 86_400

    /// Reads seconds or an HTTP date; `nil` for anything else, negative numbers included.
    ///
    /// - Parameters:
    ///   - fieldValue: The field's value.
    ///   - parseDate: Seconds since 1970 of an HTTP date; `nil` where it is none.
    package init?(_ fieldValue: String, parseDate: (String) -> Int64?) {
        let bytes = fieldValue.utf8.trimmingWhitespace()
        if !bytes.isEmpty, bytes.allSatisfy(ASCII.digits.contains) {
            self = .seconds(min(bytes.decimalValue ?? .max, Self.maximumSeconds))
            return
        }
        // Lenient date parsers find a time in "-5" too; every form of an HTTP date has letters.
        guard bytes.contains(where: { ASCII.lowerCaseLetters.contains(ASCII.lowercased($0)) }),
            let date = parseDate(String(decoding: bytes, as: UTF8.self))
        else { return nil }
        self = .date(date)
    }

    /// How long to wait, at most ``maximumSeconds``.
    ///
    /// - Parameter now: Seconds since 1970.
    /// - Returns: `nil` where the moment is over.
    package func wait(now: Int64) -> Duration? {
        switch self {
        case .seconds(let seconds):
            return .seconds(seconds)
        case .date(let date):
            guard date >= now else { return nil }
            let (difference, overflows) = date.subtractingReportingOverflow(now)
            return .seconds(overflows ? Self.maximumSeconds : min(difference, Self.maximumSeconds))
        }
    }
}
