import Foundation

/// One line of nginx's access log: a request that has ended.
package struct NginxLogEntry: Sendable {
    /// `GET` or `HEAD`.
    package let method: String
    /// The path, decoded.
    package let path: String
    /// The Range field's value; nil without one.
    package let rangeField: String?
    /// The answer's status.
    package let status: Int
    /// Body bytes that nginx gave to the kernel.
    package let bodyBytesSent: Int64
    /// nginx's serial number of the TCP connection.
    package let connection: Int64
    /// Whether the connection's TLS session was resumed; nil without TLS.
    package let isTLSSessionReused: Bool?
    /// The request's version, such as `HTTP/1.1`.
    package let version: String
    /// When the request ended, in seconds since 1970 to the millisecond.
    package let endedAt: Double
    /// Seconds from the request's first byte to the last byte sent.
    package let seconds: Double

    /// nginx's `log_format` for what ``init(line:)`` reads. nginx escapes tabs in values.
    static let format = [
        "$request_method", "$uri", "$http_range", "$status", "$body_bytes_sent", "$connection", "$ssl_session_reused",
        "$msec", "$request_time", "$server_protocol",
    ].joined(separator: "\\t")

    /// Reads a line; nil where it is not whole.
    init?(line: Substring) {
        let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 10, let status = Int(parts[3]), let bytes = Int64(parts[4]),
            let connection = Int64(parts[5]), let endedAt = Double(parts[7]), let seconds = Double(parts[8])
        else { return nil }
        method = parts[0]
        path = parts[1]
        rangeField = parts[2] == "-" ? nil : parts[2]
        self.status = status
        bodyBytesSent = bytes
        self.connection = connection
        isTLSSessionReused = parts[6] == "-" || parts[6].isEmpty ? nil : parts[6] == "r"
        self.endedAt = endedAt
        self.seconds = seconds
        version = parts[9]
    }

    /// The bytes asked for, half-open; nil without one well-formed range with both ends.
    package var range: Range<Int64>? {
        guard let ends = rangeField?.dropFirst("bytes=".count).split(separator: "-"), ends.count == 2,
            let first = Int64(ends[0]), let last = Int64(ends[1]), first <= last, last < .max
        else { return nil }
        return first..<last + 1
    }
}
