/// What the field parsers share. They work on bytes, not on `Character`s: a combining mark after a delimiter would
/// hide the delimiter in a grapheme cluster, and `Character` comparison treats different bytes as equal.
enum ASCII {
    static let tab = UInt8(ascii: "\t")
    static let space = UInt8(ascii: " ")
    static let quote = UInt8(ascii: "\"")
    static let apostrophe = UInt8(ascii: "'")
    static let backslash = UInt8(ascii: "\\")
    static let slash = UInt8(ascii: "/")
    static let comma = UInt8(ascii: ",")
    static let semicolon = UInt8(ascii: ";")
    static let equals = UInt8(ascii: "=")
    static let dash = UInt8(ascii: "-")
    static let dot = UInt8(ascii: ".")
    static let asterisk = UInt8(ascii: "*")
    static let percent = UInt8(ascii: "%")
    static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    static let upperCaseLetters = UInt8(ascii: "A")...UInt8(ascii: "Z")
    static let lowerCaseLetters = UInt8(ascii: "a")...UInt8(ascii: "z")

    /// Whether a byte may stand in a token (RFC 9110 §5.6.2).
    static func isTokenCharacter(_ byte: UInt8) -> Bool {
        digits.contains(byte) || upperCaseLetters.contains(byte) || lowerCaseLetters.contains(byte)
            || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }

    /// The byte with `A` to `Z` made small, and every other one as it is.
    static func lowercased(_ byte: UInt8) -> UInt8 {
        upperCaseLetters.contains(byte) ? byte | 0x20 : byte
    }

    /// The value of a hexadecimal digit, 0 to 15.
    static func hexadecimalValue(_ byte: UInt8) -> UInt8? {
        switch lowercased(byte) {
        case let digit where digits.contains(digit): digit - digits.lowerBound
        case let letter where (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(letter):
            letter - lowerCaseLetters.lowerBound + 10
        default: nil
        }
    }
}

extension Collection<UInt8> {
    /// Without spaces and tabs at both ends (OWS, RFC 9110 §5.6.3).
    func trimmingWhitespace() -> ArraySlice<UInt8> {
        var slice = Array(self)[...]
        while let first = slice.first, first == ASCII.space || first == ASCII.tab { slice.removeFirst() }
        while let last = slice.last, last == ASCII.space || last == ASCII.tab { slice.removeLast() }
        return slice
    }

    /// The number that these digits write; `nil` for anything else: a sign, no digit, a number beyond `Int64`.
    var decimalValue: Int64? {
        guard !isEmpty else { return nil }
        var value: Int64 = 0
        for byte in self {
            guard ASCII.digits.contains(byte) else { return nil }
            let (product, productOverflows) = value.multipliedReportingOverflow(by: 10)
            let (sum, sumOverflows) = product.addingReportingOverflow(Int64(byte - ASCII.digits.lowerBound))
            guard !productOverflows, !sumOverflows else { return nil }
            value = sum
        }
        return value
    }

    /// Whether the bytes are this ASCII text, upper and lower case alike.
    func equalsIgnoringCase(_ text: String) -> Bool {
        elementsEqual(text.utf8) { ASCII.lowercased($0) == ASCII.lowercased($1) }
    }

    /// With every `%XX` decoded once; a `%` without two hexadecimal digits stays.
    ///
    /// - Returns: The bytes, and whether each `%` had its digits.
    func percentDecoded() -> (bytes: [UInt8], isWellFormed: Bool) {
        let source = Array(self)
        var decoded: [UInt8] = []
        var isWellFormed = true
        var index = 0
        while index < source.count {
            if source[index] == ASCII.percent {
                if index + 2 < source.count, let high = ASCII.hexadecimalValue(source[index + 1]),
                    let low = ASCII.hexadecimalValue(source[index + 2])
                {
                    decoded.append(high << 4 | low)
                    index += 3
                    continue
                }
                isWellFormed = false
            }
            decoded.append(source[index])
            index += 1
        }
        return (decoded, isWellFormed)
    }
}

extension String {
    /// The text of a field's bytes: UTF-8 where it is that, else ISO-8859-1, which is what old servers mean
    /// (RFC 9110 §5.5). Never loses a byte, so that two different values never become one.
    ///
    /// - Parameter bytes: The value as it came, without line end.
    package init(fieldBytes bytes: some Collection<UInt8>) {
        self = String(validating: bytes, as: UTF8.self) ?? String(latin1: bytes)
    }

    /// The text of ISO-8859-1 bytes; each is the scalar of its number.
    init(latin1 bytes: some Collection<UInt8>) {
        var scalars = UnicodeScalarView()
        scalars.append(contentsOf: bytes.lazy.map { Unicode.Scalar($0) })
        self = String(scalars)
    }

    /// Whether a control character (C0, DEL, C1) stands in it.
    var hasControlCharacter: Bool {
        unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}
