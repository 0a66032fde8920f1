import Foundation

/// A TCP client for tests of servers: sends what it is told to, and shows what comes, byte for byte.
///
///     let client = try RawClient(port: server.port)
///     let answer = try client.get("/file", ["Range": "bytes=0-99"])
///     #expect(answer.status == 206 && answer.body.count == 100)
///
/// Each call blocks, for at most 20 seconds. The connection is closed with the object.
package final class RawClient: Sendable {
    /// An answer as it came.
    package struct Answer: Sendable {
        /// The number in the status line.
        package let status: Int
        /// The header fields.
        package let fields: HTTPFields
        /// The body without interpretation: a chunked one with its framing.
        package let body: [UInt8]
        /// Why no more came, where the body was read to the connection's end.
        package let end: End?
    }

    /// How the server ended the connection.
    package enum End: Sendable, Equatable {
        /// FIN.
        case closed
        /// RST.
        case reset
    }

    private let fd: Int32
    // What came after the head of the last answer.
    private let received = Monitor<[UInt8]>([])

    /// Connects.
    ///
    /// - Parameters:
    ///   - port: The server's port.
    ///   - address: Its dotted IPv4 address.
    /// - Throws: A sentence where nobody listens.
    package init(port: UInt16, address: String = "127.0.0.1") throws {
        #if os(Linux)
            fd = try check("socket") { socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }
        #else
            fd = try check("socket") { socket(AF_INET, SOCK_STREAM, 0) }
        #endif
        setCloseOnExec(fd)
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = inet_addr(address)
        name.sin_port = port.bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        try check("connect \(address):\(port)") { [fd] in withSocketAddress(&name) { connect(fd, $0, size) } }
    }

    deinit {
        close(fd)
    }

    /// Sends a text as it stands; lines must end in `\r\n`.
    package func send(_ text: String) throws {
        do {
            try ClientSocket(fd: fd).sendAll(Array(text.utf8))
        } catch is ClientSocket.Disconnected {
            throw TestSupportError("the server has closed the connection")
        }
    }

    /// Sends a request, and reads the answer: with as much body as its Content-Length says, else to the end.
    ///
    /// - Parameters:
    ///   - target: Path and query.
    ///   - fields: Further header fields.
    ///   - method: `HEAD` has no body.
    /// - Returns: The answer.
    /// - Throws: A sentence where the connection ends before the head does.
    package func get(_ target: String, _ fields: HTTPFields = [:], method: String = "GET") throws -> Answer {
        try send("\(method) \(target) HTTP/1.1\r\nHost: test\r\n\(fields.wireText)\r\n")
        let (status, answerFields) = try receiveHead()
        let isBodiless = method == "HEAD" || status == 204 || status == 304
        let length = isBodiless ? 0 : answerFields["Content-Length"].flatMap { Int($0) }
        let (body, end) = try receive(length)
        return Answer(status: status, fields: answerFields, body: body, end: end)
    }

    /// Reads a status line and the fields.
    package func receiveHead() throws -> (status: Int, fields: HTTPFields) {
        try received.withLock { buffer in
            while true {
                if let end = buffer.firstRange(of: [13, 10, 13, 10])?.upperBound {
                    let head = String(decoding: buffer[..<end], as: UTF8.self)
                    buffer.removeFirst(end)
                    return try Self.parse(head)
                }
                if let end = try receiveMore(&buffer) { throw TestSupportError("no answer: connection \(end)") }
            }
        }
    }

    /// Reads bytes that are not part of a head.
    ///
    /// - Parameter count: How many; all until the connection ends where nil.
    /// - Returns: The bytes, and how the connection ended where it did before all of them had come.
    /// - Throws: A sentence where nothing comes for 20 seconds.
    package func receive(_ count: Int? = nil) throws -> (bytes: [UInt8], end: End?) {
        try received.withLock { buffer in
            while buffer.count < count ?? .max {
                guard let end = try receiveMore(&buffer) else { continue }
                defer { buffer = [] }
                return (buffer, end)
            }
            let bytes = Array(buffer.prefix(count ?? .max))
            buffer.removeFirst(bytes.count)
            return (bytes, nil)
        }
    }

    private func receiveMore(_ buffer: inout [UInt8]) throws -> End? {
        var chunk = [UInt8](repeating: 0, count: 262_144)
        do throws(TestSupportError) {
            let count = try check("recv") { recv(fd, &chunk, chunk.count, 0) }
            buffer += chunk[..<count]
            return count == 0 ? .closed : nil
        } catch {
            if error.code == ECONNRESET { return .reset }
            throw error
        }
    }

    private static func parse(_ head: String) throws -> (Int, HTTPFields) {
        var lines = head.components(separatedBy: "\r\n")
        let statusLine = lines.removeFirst().components(separatedBy: " ")
        guard statusLine.count >= 2, statusLine[0] == "HTTP/1.1", let status = Int(statusLine[1]) else {
            throw TestSupportError("no status line: \(head.prefix(200))")
        }
        return (status, try HTTPFields(lines: lines))
    }
}
