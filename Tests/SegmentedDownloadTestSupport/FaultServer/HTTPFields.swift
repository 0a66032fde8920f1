import Foundation

/// Header fields in the order in which they stand, duplicates kept.
package struct HTTPFields: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    /// One line of the header.
    package struct Field: Sendable, Equatable {
        /// The name as it was written.
        package var name: String
        /// The value without the white space around it.
        package var value: String
    }

    /// All lines.
    package private(set) var all: [Field] = []

    /// Makes fields from name and value pairs, in their order.
    package init(dictionaryLiteral elements: (String, String)...) {
        all = elements.map { Field(name: $0, value: $1) }
    }

    /// Reads a head's lines; empty ones are left out.
    ///
    /// - Parameter lines: Without their CR LF.
    /// - Throws: A sentence with the line that is no field, or is folded.
    init(lines: [String]) throws(TestSupportError) {
        for line in lines where !line.isEmpty {
            guard let colon = line.firstIndex(of: ":"), colon != line.startIndex, line.first != " ", line.first != "\t"
            else { throw TestSupportError("a malformed header line: \(line)") }
            add(String(line[..<colon]), line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces))
        }
    }

    /// The value of the first field of a name; case makes no difference. Setting replaces all of that name, nil
    /// removes them.
    package subscript(name: String) -> String? {
        get { all.first { $0.name.lowercased() == name.lowercased() }?.value }
        set {
            all.removeAll { $0.name.lowercased() == name.lowercased() }
            if let newValue { add(name, newValue) }
        }
    }

    /// All values of a name, in their order.
    package func values(of name: String) -> [String] {
        all.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    /// Adds a line, whether or not the name is there already.
    package mutating func add(_ name: String, _ value: String) {
        all.append(Field(name: name, value: value))
    }

    /// The lines as they stand on the wire, each with its CR LF.
    var wireText: String {
        all.map { "\($0.name): \($0.value)\r\n" }.joined()
    }
}
