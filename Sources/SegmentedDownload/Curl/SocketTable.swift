internal import CSegdlShims

/// The TCP sockets of a multi handle's connections, and what has arrived for them: where that is counted, it is told of each one
/// that libcurl opens and closes. Confined to its worker's queue; outlives the multi handle.
final class SocketTable {
    private var counts: [curl_socket_t: ArrivalCount] = [:]
    /// What came for those that were closed since the last ``takeArrivals()``.
    private var lastArrivals: Int64 = 0

    func opened(_ socket: curl_socket_t) { counts[socket] = ArrivalCount() }

    /// Closes a socket in libcurl's stead.
    func close(_ socket: curl_socket_t) {
        if var count = counts.removeValue(forKey: socket) { lastArrivals += Self.take(of: socket, &count) }
        SystemCall.closeOnce(socket)
    }

    /// Bytes that have arrived since the last call; none where the kernel does not say.
    func takeArrivals() -> Int64 {
        var sum = lastArrivals
        lastArrivals = 0
        for index in counts.indices { sum += Self.take(of: counts.keys[index], &counts.values[index]) }
        return sum
    }

    private static func take(of socket: curl_socket_t, _ count: inout ArrivalCount) -> Int64 {
        var arrivals = segdl_arrivals()
        return segdl_get_arrivals(socket, &arrivals) == 0 ? count.take(arrivals) : 0
    }
}

/// What has arrived for one socket.
struct ArrivalCount {
    private var last = segdl_arrivals()
    /// Bytes in all: while segments come out of order, as many as their number makes, since TCP counts no bytes of those.
    private var byteCount: Int64 = 0
    private var takenByteCount: Int64 = 0

    /// - Parameter arrivals: The present state.
    /// - Returns: Bytes that came since the last call.
    mutating func take(_ arrivals: segdl_arrivals) -> Int64 {
        let segmentCount = arrivals.segment_count &- last.segment_count
        if arrivals.unordered_count != last.unordered_count {
            byteCount += Int64(segmentCount) * Int64(arrivals.segment_size)
        } else if segmentCount > 0 {
            // What was missing has come.
            byteCount = arrivals.byte_count
        }
        byteCount = max(byteCount, arrivals.byte_count)
        last = arrivals
        defer { takenByteCount = max(takenByteCount, byteCount) }
        return max(byteCount - takenByteCount, 0)
    }
}
