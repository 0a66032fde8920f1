import Foundation

/// A port of `::1` that swallows every connection, as a broken IPv6 route does: it listens, its queue is full, and
/// nobody accepts, so that the kernel drops each further SYN.
package final class BlackHole: Sendable {
    /// The port.
    package let port: UInt16
    private let descriptors: [Int32]

    /// Makes one.
    ///
    /// - Throws: A sentence where there is no IPv6, or its queue takes connections without end.
    package init() throws {
        #if os(Linux)
            let stream = Int32(SOCK_STREAM.rawValue)
        #else
            let stream = SOCK_STREAM
        #endif
        var name = sockaddr_in6()
        name.sin6_family = sa_family_t(AF_INET6)
        name.sin6_addr = in6addr_loopback
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let listener = try check("socket") { socket(AF_INET6, stream, 0) }
        var open = [listener]
        setCloseOnExec(listener)
        func withName<Result>(_ body: (UnsafeMutablePointer<sockaddr>) -> Result) -> Result {
            withUnsafeMutablePointer(to: &name) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body) }
        }
        try check("bind ::1") { withName { bind(listener, $0, size) } }
        try check("listen ::1") { listen(listener, 0) }
        try check("getsockname") { withName { getsockname(listener, $0, &size) } }
        for _ in 0..<4 {
            let client = try check("socket") { socket(AF_INET6, stream, 0) }
            setCloseOnExec(client)
            try check("fcntl") { fcntl(client, F_SETFL, O_NONBLOCK) }
            _ = withName { connect(client, $0, size) }
            open.append(client)
        }
        // The last one waits for an answer that does not come.
        var last = [pollfd(fd: open[open.count - 1], events: Int16(POLLOUT), revents: 0)]
        guard poll(&last, 1, 100) == 0 else { throw TestSupportError("the queue of ::1 is not full") }
        port = UInt16(bigEndian: name.sin6_port)
        descriptors = open
    }

    deinit {
        for fd in descriptors { close(fd) }
    }
}
