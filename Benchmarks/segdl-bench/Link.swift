/// What lies between the server and the downloader.
enum Link: String, CaseIterable {
    /// nginx on 127.0.0.1.
    case loopback
    /// The test server on 127.0.0.1, which gives every TCP connection 4 MB/s (a token bucket).
    case capped
    /// nginx on another host, 100 ms away there and back, no rate cap: `Benchmarks/netlab`.
    case wide

    /// What a reader of a chart is told.
    var title: String {
        switch self {
        case .loopback: "nginx on loopback"
        case .capped: "4 MB/s per connection"
        case .wide: "100 ms round trip"
        }
    }

    /// Bytes per second that ``capped`` gives one TCP connection.
    static let capBytesPerSecond: Int64 = 4_000_000

    /// About what the link carries in `seconds`: fixed numbers, so that cells compare between machines.
    ///
    /// The rates were measured on 2 cores that server and client shared. Over ``wide`` one connection is held to its
    /// window by the kernel, eight saturate the link's emulator, and each request costs a round trip and a half.
    ///
    /// - Parameters:
    ///   - connections: How many connections there are.
    ///   - requestSize: The most that one request asks for, in bytes; `nil` sets no limit.
    ///   - seconds: How long it should take.
    /// - Returns: A length in bytes.
    func byteCount(connections: Int, requestSize: Int64?, seconds: Int64) -> Int64 {
        let megabyte: Int64 = 1_000_000
        switch self {
        case .loopback: return seconds * 700 * megabyte
        case .capped: return seconds * Int64(connections) * Self.capBytesPerSecond
        case .wide:
            let carried = min(Int64(connections) * 22, 150) * megabyte
            let asked = requestSize.map { Int64(connections) * $0 * 1000 / 150 }
            return seconds * min(carried, asked ?? carried)
        }
    }

    /// Starts what the link's downloads come from.
    ///
    /// - Throws: A sentence where it can't be started.
    func startServer(_ workplace: Workplace) throws -> any BenchServer {
        switch self {
        case .loopback: try NginxBenchServer(workplace)
        case .capped: try ScriptedServer(bytesPerSecond: Self.capBytesPerSecond)
        case .wide: try NginxBenchServer(workplace, wide: WideLink())
        }
    }
}
