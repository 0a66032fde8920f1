/// What all downloads of a ``Session`` share.
public struct SessionOptions: Sendable {
    /// Connections at once in the whole session, 1 to 512.
    public var jobs = 8
    /// The `User-Agent` field's value.
    public var userAgent = "segdl/\(SegmentedDownloadVersion.current)"
    /// How long one connection may take to resolve, connect and shake hands.
    public var connectTimeout = Duration.seconds(15)
    /// How long a connection may bring no byte before it is closed and its work is asked for again.
    public var stallTimeout = Duration.seconds(20)
    /// Rounds in a row in which no connection of a file brought a byte, before its download fails.
    public var retryRounds = 20
    /// The wait before the first retry; it doubles, with jitter, up to 30 s.
    public var retryWait = Duration.milliseconds(500)
    /// How long a HEAD may go without an answer before a ranged GET overtakes it.
    public var headPatience = Duration.seconds(5)
    /// Whether the server's certificate and name are verified.
    public var verifiesCertificates = true
    /// A file of certificates (PEM) to trust instead of the system's; `nil` is the system's.
    public var certificateAuthorityFile: String?

    /// The defaults.
    public init() {}
}
