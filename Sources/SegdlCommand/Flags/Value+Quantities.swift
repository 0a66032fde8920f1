extension Value {
    /// A number of bytes, or with K, M, G or T (powers of 1024), also as `KiB` and `KB`, also with a fraction.
    package static func size(_ text: String, in range: ClosedRange<Int64>) throws(Flag.ValueError) -> Int64 {
        guard let byteCount = byteCount(text) else {
            throw .reason("it must be a number of bytes such as 65536, or one such as 256K, 1.5M or 1GiB")
        }
        guard range.contains(byteCount) else {
            let upper = range.upperBound == .max ? "" : " to \(ByteText.exact(range.upperBound))"
            throw .reason("it must be from \(ByteText.exact(range.lowerBound))\(upper)")
        }
        return byteCount
    }

    /// Seconds, also with a fraction.
    package static func seconds(
        _ text: String,
        in range: ClosedRange<Duration>
    ) throws(Flag.ValueError) -> Duration {
        guard let number = DecimalNumber(text), let whole = Int64(exactly: number.whole) else {
            throw .reason("it must be a number of seconds such as 2 or 0.5")
        }
        let duration = Duration.seconds(whole) + .nanoseconds(Int64(number.billionths))
        guard range.contains(duration) else {
            let bounds = [range.lowerBound, range.upperBound].map { DecimalText.shortest($0.inSeconds) }
            throw .reason("it must be from \(bounds[0]) to \(bounds[1])")
        }
        return duration
    }

    /// The bytes that a SIZE means; `nil` where it is none, or more than a file can have.
    static func byteCount(_ text: String) -> Int64? {
        let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let value = DecimalNumber(number), let unit = unit(text[number.endIndex...]) else { return nil }
        guard unit > 1 || value.billionths == 0 else { return nil }
        let (whole, overflows) = value.whole.multipliedReportingOverflow(by: unit)
        // The unit is at most 2^40 and the billionths less than 2^30: no overflow.
        let (sum, sumOverflows) = whole.addingReportingOverflow(value.billionths * unit / 1_000_000_000)
        return overflows || sumOverflows ? nil : Int64(exactly: sum)
    }

    private static func unit(_ suffix: Substring) -> UInt64? {
        var letters = suffix.lowercased()
        if letters.count > 1, letters.last == "b" { letters.removeLast() }
        if letters.count > 1, letters.last == "i" { letters.removeLast() }
        return switch letters {
        case "", "b": 1
        case "k": 1 << 10
        case "m": 1 << 20
        case "g": 1 << 30
        case "t": 1 << 40
        default: nil
        }
    }
}

/// A decimal number without sign and exponent, exact to a billionth. Double would lose bytes of large sizes.
struct DecimalNumber {
    /// The part before the point.
    let whole: UInt64
    /// The part after it; digits beyond the ninth are dropped.
    let billionths: UInt64

    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, Value.isDigits(first), let whole = UInt64(first) else { return nil }
        self.whole = whole
        guard parts.count == 2 else {
            billionths = 0
            return
        }
        guard Value.isDigits(parts[1]) else { return nil }
        let digits = parts[1].prefix(9)
        let padding = repeatElement(UInt8(ascii: "0"), count: 9 - digits.utf8.count)
        billionths = (Array(digits.utf8) + padding).reduce(0) { $0 * 10 + UInt64($1 - UInt8(ascii: "0")) }
    }
}
