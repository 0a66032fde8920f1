import Foundation

/// A port of loopback that swallows every connection, as a broken route does: it listens, its queue is full, and
/// nobody accepts, so that the kernel drops each further SYN.
package final class BlackHole: Sendable {
    /// The port.
    package let port: UInt16
    private let descriptors: [Int32]

    /// Makes one.
    ///
    /// - Parameter address: An IPv4 address of loopback; `nil` is `::1`.
    /// - Throws: A sentence where there is no IPv6, or its queue takes connections without end.
    package init(_ address: String? = nil) throws {
        #if os(Linux)
            let stream = Int32(SOCK_STREAM.rawValue)
        #else
            let stream = SOCK_STREAM
        #endif
        // Of either family: port and size are at the same place.
        var name = sockaddr_in6()
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let family = address == nil ? AF_INET6 : AF_INET
        name.sin6_family = sa_family_t(family)
        name.sin6_addr = in6addr_loopback
        if let address {
            size = socklen_t(MemoryLayout<sockaddr_in>.size)
            withUnsafeMutableBytes(of: &name) {
                $0.storeBytes(of: inet_addr(address), toByteOffset: 4, as: in_addr_t.self)
            }
        }
        let listener = try check("socket") { socket(family, stream, 0) }
        var open = [listener]
        setCloseOnExec(listener)
        func withName<Result>(_ body: (UnsafeMutablePointer<sockaddr>) -> Result) -> Result {
            withUnsafeMutablePointer(to: &name) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body) }
        }
        try check("bind") { withName { bind(listener, $0, size) } }
        try check("listen") { listen(listener, 0) }
        try check("getsockname") { withName { getsockname(listener, $0, &size) } }
        for _ in 0..<4 {
            let client = try check("socket") { socket(family, stream, 0) }
            setCloseOnExec(client)
            try check("fcntl") { fcntl(client, F_SETFL, O_NONBLOCK) }
            _ = withName { connect(client, $0, size) }
            open.append(client)
        }
        // The last one waits for an answer that does not come.
        var last = [pollfd(fd: open[open.count - 1], events: Int16(POLLOUT), revents: 0)]
        guard poll(&last, 1, 100) == 0 else { throw TestSupportError("the queue is not full") }
        port = UInt16(bigEndian: name.sin6_port)
        descriptors = open
    }

    deinit {
        for fd in descriptors { close(fd) }
    }
}
