import Foundation

/// A listening TCP socket.
final class Listener: Sendable {
    /// The port.
    let port: UInt16

    /// The socket, which stays the listener's own.
    let fd: Int32

    /// Binds and listens.
    ///
    /// - Parameters:
    ///   - address: A dotted IPv4 address of this machine, such as `127.0.0.1`.
    ///   - port: The port; 0 leaves it to the kernel.
    /// - Throws: A sentence where the address can't be used.
    init(address: String, port: UInt16 = 0) throws(TestSupportError) {
        #if os(Linux)
            let stream = Int32(SOCK_STREAM.rawValue)
        #else
            let stream = SOCK_STREAM
        #endif
        fd = try check("socket") { socket(AF_INET, stream, 0) }
        do {
            setCloseOnExec(fd)
            self.port = try Self.bind(fd, address, port)
        } catch {
            close(fd)
            throw error
        }
    }

    private static func bind(_ fd: Int32, _ address: String, _ port: UInt16) throws(TestSupportError) -> UInt16 {
        #if !os(Linux)
            var one: Int32 = 1
            setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &one, socklen_t(MemoryLayout<Int32>.size))
        #endif
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = inet_addr(address)
        name.sin_port = port.bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        try check("bind \(address)") { withSocketAddress(&name) { Foundation.bind(fd, $0, size) } }
        try check("listen \(address)") { listen(fd, 1024) }
        try check("getsockname") { withSocketAddress(&name) { getsockname(fd, $0, &size) } }
        return UInt16(bigEndian: name.sin_port)
    }

    /// Blocks until a client comes.
    ///
    /// - Parameter gate: Ends the wait.
    /// - Returns: The connection; nil where the gate was opened.
    /// - Throws: A sentence, for example where the process has no descriptors left.
    func accept(until gate: Gate) throws(TestSupportError) -> ClientSocket? {
        while true {
            var set = [fd, gate.readEnd].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            try check("poll") { poll(&set, 2, -1) }
            if set[1].revents != 0 { return nil }
            let client = Foundation.accept(fd, nil, nil)
            let code = errno
            if client >= 0 { return Self.prepare(client) }
            // The client went away between poll and accept.
            if code != ECONNABORTED && code != EINTR { throw TestSupportError(call: "accept", errno: code) }
        }
    }

    /// Listens no longer, so that the kernel refuses who comes, but keeps the port. Linux lets a listening socket be
    /// shut down and listen again.
    func pause() throws(TestSupportError) {
        try check("shutdown") { shutdown(fd, Int32(SHUT_RDWR)) }
    }

    /// Listens again.
    func resume() throws(TestSupportError) {
        try check("listen") { listen(fd, 1024) }
    }

    private static func prepare(_ fd: Int32) -> ClientSocket {
        setCloseOnExec(fd)
        var one: Int32 = 1
        setsockopt(fd, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        return ClientSocket(fd: fd)
    }

    deinit {
        close(fd)
    }
}

/// Calls `body` with an IPv4 address as the type that the socket calls want.
func withSocketAddress<Result>(
    _ address: inout sockaddr_in,
    _ body: (UnsafeMutablePointer<sockaddr>) -> Result
) -> Result {
    withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
    }
}
