/// What the server knows about one request and its answer. All of ``Request``'s properties can be read from it too:
/// `record.method`, `record.fields["If-Range"]`.
@dynamicMemberLookup
package struct RequestRecord: Sendable {
    /// How an answer came to its end.
    package enum End: Sendable, Equatable {
        /// It is still being sent.
        case underWay
        /// All that the script wanted was sent.
        case complete
        /// The script closed or reset the connection, or never answered.
        case cutByScript
        /// The client closed the connection.
        case closedByClient
        /// The server was stopped.
        case stopped
    }

    /// The request itself.
    package let request: Request
    /// Number of the request on the whole server, from 1.
    package let number: Int
    /// The bytes asked for, half-open, an open end resolved to the length; nil without one well-formed range.
    package let range: Range<Int64>?
    /// Whether it was one too many.
    package let isSurplus: Bool
    /// When its head had been read, since the server's start.
    package let startedAt: Duration
    /// When the last byte of the answer was given to the kernel, or the connection was closed.
    package internal(set) var endedAt: Duration?
    /// The answer's status; nil where none was sent.
    package internal(set) var status: Int?
    /// Bytes of the body that the kernel has taken, without chunked framing. Up to some megabytes of it may not have
    /// reached the client.
    package internal(set) var bodyBytesSent: Int64 = 0
    /// How the answer ended.
    package internal(set) var end = End.underWay

    /// A property of the request.
    package subscript<Value>(dynamicMember keyPath: KeyPath<Request, Value>) -> Value {
        request[keyPath: keyPath]
    }
}
