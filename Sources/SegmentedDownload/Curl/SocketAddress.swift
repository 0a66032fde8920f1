internal import CSegdlShims

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Where a socket of libcurl's leads to: its `struct curl_sockaddr`.
struct SocketAddress: Equatable, Sendable {
    private let family: Int32
    private let socketType: Int32
    private let protocolNumber: Int32
    /// A `struct sockaddr` of the family.
    private let bytes: [UInt8]

    /// - Parameter address: As libcurl gives it to `CURLOPT_OPENSOCKETFUNCTION`.
    init(_ address: UnsafePointer<curl_sockaddr>) {
        family = address.pointee.family
        socketType = address.pointee.socktype
        protocolNumber = address.pointee.protocol
        // The last member only begins there: an address of IPv6 is longer than a `struct sockaddr`.
        let start = MemoryLayout<curl_sockaddr>.offset(of: \.addr) ?? 0
        bytes = Array(
            UnsafeRawBufferPointer(start: UnsafeRawPointer(address) + start, count: Int(address.pointee.addrlen))
        )
    }

    /// Makes a socket of its kind; socket(2).
    ///
    /// - Returns: The descriptor; -1, which is `CURL_SOCKET_BAD` too, where the system has none.
    func makeSocket() -> Int32 { socket(family, socketType, protocolNumber) }

    /// Begins to connect a socket that does not block; connect(2).
    ///
    /// - Returns: Whether it is under way. One that is connected at once is of no use: 7.88 connects once more whatever its callback
    ///   says (curl#10626), and Linux grants that only to who was told that it is under way.
    func beginConnecting(_ socket: Int32) -> Bool {
        withSocketAddress { connect(socket, $0, $1) == -1 && errno == EINPROGRESS }
    }

    /// The host in numbers; getnameinfo(3). `nil` where it has none.
    var host: String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { text in
            let code = withSocketAddress { address, length in
                getnameinfo(address, length, text.baseAddress, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
            }
            return code == 0 ? text.baseAddress.map { String(cString: $0) } : nil
        }
    }

    private func withSocketAddress<Result>(_ body: (UnsafePointer<sockaddr>?, socklen_t) -> Result) -> Result {
        // An array's bytes are aligned to 16.
        bytes.withUnsafeBytes { body($0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count)) }
    }
}
