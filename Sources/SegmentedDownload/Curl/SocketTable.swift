internal import CSegdlShims

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// The TCP sockets of a multi handle's connections, and what has arrived for them. libcurl tells of each one that it opens and closes.
/// Confined to its worker's queue; outlives the multi handle.
final class SocketTable {
    /// What had arrived for each when it was last asked for, in bytes.
    private var arrived: [curl_socket_t: Int64] = [:]
    /// What came for those that were closed since the last ``takeArrivals()``.
    private var lastArrived: Int64 = 0

    func opened(_ socket: curl_socket_t) { arrived[socket] = 0 }

    /// Closes a socket in libcurl's stead.
    ///
    /// - Returns: What close(2) returns.
    func close(_ socket: curl_socket_t) -> Int32 {
        if let before = arrived.removeValue(forKey: socket) { lastArrived += Self.arrivals(of: socket, since: before) }
        #if canImport(Darwin)
            return Darwin.close(socket)
        #elseif canImport(Musl)
            return Musl.close(socket)
        #else
            return Glibc.close(socket)
        #endif
    }

    /// Bytes that have arrived since the last call.
    func takeArrivals() -> Int64 {
        var sum = lastArrived
        lastArrived = 0
        for (socket, before) in arrived {
            let new = Self.arrivals(of: socket, since: before)
            arrived[socket] = before + new
            sum += new
        }
        return sum
    }

    /// None where the kernel does not say, and where it corrects what it takes for the size of a segment.
    private static func arrivals(of socket: curl_socket_t, since before: Int64) -> Int64 {
        max(segdl_arrived_byte_count(socket) - before, 0)
    }
}
