/// One JSON object (RFC 8259), written member by member. Foundation's writer would cost 60 MB of binary.
package struct JSONObject {
    private var members: [String] = []

    /// An object without members.
    package init() {}

    /// Adds a text.
    package mutating func add(_ name: String, _ value: String) {
        members.append("\(Self.quoted(name)):\(Self.quoted(value))")
    }

    /// Adds a whole number; `null` where there is none.
    package mutating func add(_ name: String, _ value: (some BinaryInteger)?) {
        members.append("\(Self.quoted(name)):\(value.map { String($0) } ?? "null")")
    }

    /// Adds whole numbers.
    package mutating func add(_ name: String, _ values: [some BinaryInteger]) {
        members.append("\(Self.quoted(name)):[\(values.map { String($0) }.joined(separator: ","))]")
    }

    /// Adds a truth value.
    package mutating func add(_ name: String, _ value: Bool) {
        members.append("\(Self.quoted(name)):\(value)")
    }

    /// Adds a number with three places; JSON has no other than finite ones, which are all that is printed.
    package mutating func add(_ name: String, milli value: Double) {
        members.append("\(Self.quoted(name)):\(DecimalText.fixed(value, places: 3))")
    }

    /// The object in one line, with a line feed at its end.
    package var line: String {
        "{\(members.joined(separator: ","))}\n"
    }

    /// A string whose control and format characters are escaped, also those that JSON would let pass: a terminal may
    /// be what reads it.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            default:
                if Terminal.isUnsafe(scalar) {
                    for unit in String(scalar).utf16 { result += escape(unit) }
                } else {
                    result.unicodeScalars.append(scalar)
                }
            }
        }
        return result + "\""
    }

    private static func escape(_ unit: UInt16) -> String {
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
    }
}
