/// What all downloads of a ``Session`` share.
public struct SessionOptions: Sendable {
    /// Connections at once in the whole session, 1 to 512.
    public var jobs = 8
    /// Whether no more connections are used than pay: ``jobs`` is the most then.
    public var tunesConnections = false
    /// The `User-Agent` field's value.
    public var userAgent = "segdl/\(SegmentedDownloadVersion.current)"
    /// How long one connection may take to resolve, connect and shake hands.
    public var connectTimeout = Duration.seconds(15)
    /// How long a connection may bring no byte before it is closed and its work is asked for again.
    public var stallTimeout = Duration.seconds(20)
    /// How long the session's downloads may take together, from the session's start on: then each ends in order, with an
    /// error of the kind `network`, and what it has stays resumable. One that has all its bytes by then is verified,
    /// synced and given its name all the same. `nil` sets no limit.
    public var maximumTime: Duration?
    /// The most body bytes a second that all connections of the session bring together; `nil`, or less than 1, is no limit.
    /// ``Session/rateLimit`` changes it.
    public var rateLimit: Int64?
    /// Rounds in a row in which no connection of a file brought a byte, before its download fails.
    public var retryRounds = 20
    /// The wait before the first retry; it doubles, with jitter, up to 30 s.
    public var retryWait = Duration.milliseconds(500)
    /// How long all must go well before a host that refused connections is asked for one more.
    package var growthPatience = Duration.seconds(2)
    /// How long HEAD's TCP connection takes at least where those of the segments are opened beside it: nearer servers' would
    /// gain nothing.
    package var preconnectThreshold = Duration.milliseconds(10)
    /// When data and journal are synced while a file is fetched.
    package var keeperPolicy = JournalKeeper.Policy()
    /// How long a HEAD may go without an answer before a ranged GET overtakes it.
    public var headPatience = Duration.seconds(5)
    /// Whether the server's certificate and name are verified.
    public var verifiesCertificates = true
    /// A file of certificates (PEM) to trust instead of the system's; `nil` is the system's.
    public var certificateAuthorityFile: String?

    /// The version of HTTP over TLS. Without TLS it is always 1.1.
    public var httpVersion = HTTPVersion.http1
    /// Which addresses of a host are tried.
    public var addressFamily = AddressFamily.any
    /// The network interface, address or host name that connections come from; `nil` leaves it to the system.
    public var interface: String?
    /// Addresses for hosts (`HOST:PORT:ADDRESS[,ADDRESS…]`) that are used instead of asking the resolver.
    public var resolve: [String] = []
    /// The proxy for all URLs (`[SCHEME://][USER:PASSWORD@]HOST[:PORT]`; http, https, socks5 or socks5h). `nil` takes what
    /// the environment says (`http_proxy`, `https_proxy`, `HTTPS_PROXY`, `all_proxy`, `ALL_PROXY`), an empty text none.
    public var proxy: String?
    /// Hosts that are reached without a proxy, divided by commas; `*` is all. `nil` takes `no_proxy` or `NO_PROXY`.
    public var noProxy: String?
    /// A netrc file, read when the session is made: the source of user names and passwords where a request gives none.
    public var netrcFile: String?
    /// Files of cookies (Netscape's format, or `Set-Cookie` header lines), read when the session is made.
    public var cookieFiles: [String] = []

    /// A version of HTTP.
    public enum HTTPVersion: Sendable, Equatable {
        /// HTTP/1.1.
        case http1
        /// HTTP/2 where the server has it. Each connection is a TCP connection of its own all the same.
        case http2
    }

    /// A family of addresses.
    public enum AddressFamily: Sendable, Equatable {
        /// IPv6 and IPv4; where the first does not answer soon, the second is tried meanwhile (RFC 8305).
        case any
        /// IPv4 alone.
        case ipv4
        /// IPv6 alone.
        case ipv6
    }

    /// The defaults.
    public init() {}
}
