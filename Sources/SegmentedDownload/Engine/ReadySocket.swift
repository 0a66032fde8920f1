internal import Synchronization

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// A TCP connection that is opened before anybody needs it. It is closed when its owner goes, unless it was released.
final class ReadySocket: Sendable {
    let address: SocketAddress
    /// -1 once it is somebody else's.
    private let fd: Atomic<Int32>

    /// Begins to connect; returns at once. libcurl sets TCP_NODELAY and keepalive, as on its own sockets, when it gets it.
    ///
    /// - Parameter buffer: The receive buffer. Only a limited one must be there before a window is offered: whose connection
    ///   it will be, and whether that is a roomy one, is not known yet.
    /// - Returns: `nil` where the system has no socket, or no way there.
    init?(to address: SocketAddress, buffer: Transfer.SocketBuffer) {
        self.address = address
        let socket = address.makeSocket()
        fd = Atomic(socket)
        guard socket >= 0, fcntl(socket, F_SETFD, FD_CLOEXEC) == 0, fcntl(socket, F_SETFL, O_NONBLOCK) == 0 else {
            return nil
        }
        if case .limited = buffer { buffer.set(on: socket) }
        guard address.beginConnecting(socket) else { return nil }
    }

    deinit {
        let socket = fd.load(ordering: .relaxed)
        if socket >= 0 { SystemCall.closeOnce(socket) }
    }

    /// Gives the socket away, where it is connected and the peer has not closed it since.
    ///
    /// - Returns: The descriptor, which the caller closes; `nil` where it stays.
    func release() -> Int32? {
        var entry = pollfd(fd: fd.load(ordering: .relaxed), events: Int16(POLLIN | POLLOUT), revents: 0)
        // Neither TLS nor HTTP lets a server speak first: what can be read is its end, or an error.
        guard poll(&entry, 1, 0) == 1, entry.revents == Int16(POLLOUT) else { return nil }
        return fd.exchange(-1, ordering: .relaxed)
    }
}
