internal import CSegdlShims

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

extension Transfer {
    /// libcurl's callback that opens a socket.
    ///
    /// - Returns: A socket, connected or not, which is libcurl's from now on; -1 where the system has none.
    func openSocket(to address: SocketAddress) -> curl_socket_t {
        if sockets.ready?.address == address {
            // One that has not connected is closed: libcurl can't go on with it.
            defer { sockets.ready = nil }
            if let socket = sockets.ready?.release() {
                sockets.isConnected = true
                return socket
            }
        }
        if onConnect != nil { sockets.addresses.append(address) }
        return address.makeSocket()
    }

    /// libcurl's callback for a new socket, before it is connected: later a window that was offered can't be taken back.
    ///
    /// - Returns: What the callback returns. A buffer that the kernel does not take only costs a burst.
    func setUp(_ socket: curl_socket_t) -> Int32 {
        defer { sockets.isConnected = false }
        allowance.socketBuffer.set(on: socket)
        socketTable?.opened(socket)
        return sockets.isConnected ? CURL_SOCKOPT_ALREADY_CONNECTED : CURL_SOCKOPT_OK
    }

    /// libcurl's callback when there is a connection, and the request is about to be sent.
    ///
    /// - Parameter host: The peer's address as text; the proxy's, where there is one.
    func didConnect(to host: UnsafePointer<CChar>) {
        // The request went over a connection that stood.
        sockets.ready = nil
        guard let onConnect, let easy else { return }
        let host = String(cString: host)
        // Two may have been tried at once, one of each family.
        guard let address = sockets.addresses.last(where: { $0.host == host }) else { return }
        sockets.addresses = []
        onConnect(self, address, connectTime(of: easy))
    }
}

extension Transfer.SocketBuffer {
    /// Sets it on a socket.
    func set(on socket: Int32) {
        switch self {
        case .adapting: break
        case .roomy(let size):
            #if os(Linux)
                // Linux makes the buffer so large that this mark (socket(7)) can be reached, and goes on adapting it: SO_RCVBUF
                // would fix it, and has a limit (net.core.rmem_max) that is too low for a far server. The mark itself is not wanted.
                set(SO_RCVLOWAT, to: size, of: socket)
                set(SO_RCVLOWAT, to: 1, of: socket)
            #endif
        case .limited(let size): set(SO_RCVBUF, to: size, of: socket)
        }
    }

    private func set(_ option: Int32, to value: Int32, of socket: Int32) {
        var value = value
        setsockopt(socket, SOL_SOCKET, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}
