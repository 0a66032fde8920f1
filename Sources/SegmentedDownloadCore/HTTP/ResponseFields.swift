/// What was found where a field was looked for.
package enum FieldReading<Value> {
    /// The field is not there.
    case absent
    /// The field is there and means this.
    case value(Value)
    /// The field is there and means nothing, or two of them contradict each other.
    case malformed

    /// The value, where there is one.
    package var value: Value? {
        if case .value(let value) = self { value } else { nil }
    }
}

extension FieldReading: Equatable where Value: Equatable {}
extension FieldReading: Sendable where Value: Sendable {}

/// The fields of one response, found by name in any case.
struct ResponseFields {
    private let fields: [(name: String, value: String)]

    init(_ fields: [(name: String, value: String)]) {
        self.fields = fields
    }

    /// The values of all fields of this name, in their order, white space at the ends removed.
    func values(_ name: String) -> [String] {
        fields.filter { $0.name.utf8.equalsIgnoringCase(name) }
            .map { String(decoding: $0.value.utf8.trimmingWhitespace(), as: UTF8.self) }
    }

    /// The members of a list field, over all fields of this name, in lower case.
    func members(_ name: String) -> [[UInt8]] {
        values(name).flatMap { $0.utf8.split(separator: ASCII.comma) }
            .map { $0.trimmingWhitespace().map(ASCII.lowercased) }
            .filter { !$0.isEmpty }
    }

    /// The value of a field that may stand once: duplicates that are equal are one, others are malformed.
    func single(_ name: String) -> FieldReading<String> {
        let values = values(name)
        guard let first = values.first else { return .absent }
        return values.allSatisfy { $0.utf8.elementsEqual(first.utf8) } ? .value(first) : .malformed
    }

    /// The `Content-Length`: one number, written once or several times, also as a list (RFC 9110 §8.6).
    var contentLength: FieldReading<Int64> {
        let texts = values("content-length").flatMap {
            $0.utf8.split(separator: ASCII.comma, omittingEmptySubsequences: false)
        }
        guard let first = texts.first else { return .absent }
        guard let length = first.trimmingWhitespace().decimalValue,
            texts.allSatisfy({ $0.trimmingWhitespace().decimalValue == length })
        else { return .malformed }
        return .value(length)
    }

    /// The media type `type/subtype` in lower case, without parameters; `nil` where it is no such thing.
    var mediaType: String? {
        guard let text = single("content-type").value else { return nil }
        let bytes = text.utf8.prefix { $0 != ASCII.semicolon }.trimmingWhitespace().map(ASCII.lowercased)
        let names = bytes.split(separator: ASCII.slash, omittingEmptySubsequences: false)
        // 127 bytes a name: RFC 6838 §4.2.
        let areNames = names.allSatisfy { (1...127).contains($0.count) && $0.allSatisfy(ASCII.isTokenCharacter) }
        return names.count == 2 && areNames ? String(decoding: bytes, as: UTF8.self) : nil
    }
}
