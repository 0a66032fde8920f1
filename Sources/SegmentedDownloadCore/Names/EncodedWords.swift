/// The encoded words of mail, `=?UTF-8?B?bmHDr3ZlLnppcA==?=` (RFC 2047). No RFC allows them in HTTP; servers send them all
/// the same, since browsers take them.
enum EncodedWords {
    /// The text of a value that is made of nothing but encoded words, with white space between them, which does not
    /// count (§6.2); `nil` for any other value, and for charsets other than UTF-8, US-ASCII and ISO-8859-1.
    static func decoded(_ value: [UInt8]) -> String? {
        let words = value.split { $0 == ASCII.space || $0 == ASCII.tab }
        guard let first = words.first.flatMap(Self.word) else { return nil }
        var bytes: [UInt8] = []
        for part in words {
            // One character may be divided between two words, so that they are put together first.
            guard let word = word(part), word.charset == first.charset else { return nil }
            bytes += word.bytes
        }
        switch String(decoding: first.charset, as: UTF8.self) {
        case "utf-8", "us-ascii": return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1": return String(latin1: bytes)
        default: return nil
        }
    }

    /// `=?charset?encoding?text?=`; the charset in lower case, without the language of RFC 2231 §5.
    private static func word(_ bytes: ArraySlice<UInt8>) -> (charset: [UInt8], bytes: [UInt8])? {
        let question = UInt8(ascii: "?")
        guard bytes.count > 4, bytes.starts(with: "=?".utf8), bytes.suffix(2).elementsEqual("?=".utf8) else {
            return nil
        }
        let parts = bytes.dropFirst(2).dropLast(2).split(separator: question, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[1].count == 1, let encoding = parts[1].first.map(ASCII.lowercased) else {
            return nil
        }
        let charset = parts[0].prefix { $0 != ASCII.asterisk }.map(ASCII.lowercased)
        switch encoding {
        case UInt8(ascii: "b"): return base64(parts[2]).map { (charset, $0) }
        case UInt8(ascii: "q"): return quotedPrintable(parts[2]).map { (charset, $0) }
        default: return nil
        }
    }

    /// The "Q" encoding (§4.2): percent-encoding with other letters.
    private static func quotedPrintable(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        let percentEncoded = text.flatMap { byte -> [UInt8] in
            switch byte {
            case UInt8(ascii: "_"): [ASCII.space]
            case ASCII.equals: [ASCII.percent]
            case ASCII.percent: Array("%25".utf8)
            default: [byte]
            }
        }
        let (bytes, isWellFormed) = percentEncoded.percentDecoded()
        return isWellFormed ? bytes : nil
    }

    /// The "B" encoding (RFC 4648 §4); its padding may be missing.
    private static func base64(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var bitCount = 0
        for digit in text.trimmingSuffix(ASCII.equals, atMost: 2) {
            guard let value = base64Value(digit) else { return nil }
            bits = bits << 6 | UInt32(value)
            bitCount += 6
            guard bitCount >= 8 else { continue }
            bitCount -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
        }
        // A single digit that is left over is no byte.
        return bitCount < 6 ? bytes : nil
    }

    private static func base64Value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case ASCII.upperCaseLetters: digit - ASCII.upperCaseLetters.lowerBound
        case ASCII.lowerCaseLetters: digit - ASCII.lowerCaseLetters.lowerBound + 26
        case ASCII.digits: digit - ASCII.digits.lowerBound + 52
        case UInt8(ascii: "+"): 62
        case ASCII.slash: 63
        default: nil
        }
    }
}

extension ArraySlice<UInt8> {
    fileprivate func trimmingSuffix(_ byte: UInt8, atMost limit: Int) -> ArraySlice<UInt8> {
        dropLast(Swift.min(limit, reversed().prefix { $0 == byte }.count))
    }
}
