internal import CSegdlShims

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

extension Transfer {
    /// libcurl's callback for a new socket, before it is connected: later a window that was offered can't be taken back.
    ///
    /// - Returns: What the callback returns. A buffer that the kernel does not take only costs a burst.
    func setUp(_ socket: curl_socket_t) -> Int32 {
        switch allowance.socketBuffer {
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
        sockets?.opened(socket)
        return CURL_SOCKOPT_OK
    }

    private func set(_ option: Int32, to value: Int32, of socket: curl_socket_t) {
        var value = value
        setsockopt(socket, SOL_SOCKET, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}
