import Foundation

/// A request as the server read it.
package struct Request: Sendable {
    /// `GET` or `HEAD`; anything else is answered 405.
    package let method: String
    /// What stands in the request line, query included.
    package let target: String
    /// All header fields.
    package let fields: HTTPFields
    /// Number of the TCP connection, from 1 in the order in which they were accepted.
    package let connection: Int
    /// Number of the request on its connection, from 1.
    package let numberOnConnection: Int

    /// The target without its query: what routes are chosen by.
    package var path: String {
        String(target.prefix { $0 != "?" })
    }

    /// Whether there is a Range field, well formed or not.
    package var isRanged: Bool { fields["Range"] != nil }

    /// The bytes asked for, half-open; nil where there is no Range field of one well-formed range.
    ///
    /// `bytes=5-` ends at `length`, `bytes=-5` begins 5 before it. What lies beyond the length is kept as asked.
    ///
    /// - Parameter length: Length of the resource.
    /// - Returns: The range, or nil.
    package func range(length: Int64) -> Range<Int64>? {
        guard let value = fields["Range"], value.hasPrefix("bytes="), !value.contains(",") else { return nil }
        let ends = value.dropFirst(6).split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        if ends[0].isEmpty {
            return Int64(ends[1]).flatMap { $0 >= 0 ? max(0, length - $0)..<length : nil }
        }
        guard let first = Int64(ends[0]), first >= 0 else { return nil }
        if ends[1].isEmpty { return first..<max(first, length) }
        guard let last = Int64(ends[1]), last >= first, last < .max else { return nil }
        return first..<last + 1
    }

    /// Reads a request's head, which must be one that RFC 9112 allows a client to send.
    ///
    /// - Parameters:
    ///   - head: The head with its empty line.
    ///   - connection: Number of the connection.
    ///   - numberOnConnection: Number of the request on it.
    /// - Throws: A sentence about what is wrong with it.
    init(head: [UInt8], connection: Int, numberOnConnection: Int) throws(TestSupportError) {
        guard let text = String(validating: head, as: UTF8.self) else {
            throw TestSupportError("a request's head is not UTF-8")
        }
        var lines = text.components(separatedBy: "\r\n")
        let requestLine = lines.removeFirst().components(separatedBy: " ")
        guard requestLine.count == 3, requestLine[1].hasPrefix("/"), requestLine[2] == "HTTP/1.1" else {
            throw TestSupportError("a malformed request line: \(text.prefix(200))")
        }
        method = requestLine[0]
        target = requestLine[1]
        fields = try HTTPFields(lines: lines)
        self.connection = connection
        self.numberOnConnection = numberOnConnection
        if fields.values(of: "Host").count != 1 { throw TestSupportError("not one Host field: \(target)") }
        if fields["Transfer-Encoding"] != nil || fields["Content-Length"] ?? "0" != "0" {
            throw TestSupportError("a request with a body, which this server does not read: \(method) \(target)")
        }
    }
}
