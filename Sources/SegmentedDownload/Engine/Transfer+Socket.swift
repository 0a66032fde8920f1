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
        if var size = allowance.socketBufferSize {
            setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        return CURL_SOCKOPT_OK
    }
}
