/// What a ``ProxyServer`` does.
package struct ProxyScript: Sendable {
    /// What it speaks.
    package enum Kind: Sendable {
        /// Requests with a whole URL, and CONNECT.
        case http
        /// RFC 1928, with user name and password of RFC 1929.
        case socks5
    }

    /// What it speaks.
    package var kind = Kind.http
    /// `user:password` without which it refuses: HTTP with 407.
    package var credentials: String?
    /// Whether it wants ``credentials`` as a digest (RFC 7616, MD5), and takes them in no other form.
    package var wantsDigest = false
    /// The statuses of the first answers, which the proxy gives by itself, to CONNECT and to other requests alike.
    package var refusals: [Int] = []
    /// The status of every answer after these; nil forwards.
    package var refusesAlways: Int?
    /// What it sends instead of an answer, to CONNECT and to other requests alike: first the head, then the rest again and
    /// again, until the client closes.
    package var endless: (head: String, repeated: String)?
    /// Whether it takes the Range and If-Range fields out of what it forwards.
    package var stripsRange = false
    /// Connections, from 1, whose tunnels carry nothing more once the server has sent so many bytes; they stay open.
    package var deadTunnels: [Int: Int] = [:]
    /// Connections, from 1, whose tunnels are closed once the server has sent so many bytes: 0 closes at the client's
    /// first word. Over TLS nobody says goodbye.
    package var cutTunnels: [Int: Int] = [:]
    /// Whether a tunnel that is cut ends with FIN and RST, so that whatever the client still writes is a broken pipe.
    package var resetsCutTunnels = false
    /// Bytes a second that each tunnel carries from the server.
    package var tunnelBytesPerSecond: Int64?
    /// The SOCKS reply to every CONNECT; 0 connects (RFC 1928 §6).
    package var socksReply: UInt8 = 0

    /// An obedient HTTP proxy, with changes.
    package init(_ change: (inout ProxyScript) -> Void = { _ in }) {
        change(&self)
    }
}

/// A request that a ``ProxyServer`` got.
package struct ProxyRequest: Sendable {
    /// `GET`, `HEAD` or `CONNECT`; for SOCKS `SOCKS`.
    package let method: String
    /// The whole URL, or host and port; for SOCKS as the client named the host.
    package let target: String
    /// The header fields; for SOCKS none.
    package let fields: HTTPFields
    /// `user:password` that SOCKS was given.
    package let credentials: String?
    /// Number of the client's TCP connection, from 1.
    package let connection: Int
    /// The client's address.
    package let peer: String
}
