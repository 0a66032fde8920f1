import SegmentedDownload

extension FlagTable {
    /// How long to wait, and how often to try again.
    static let patienceFlags = [
        Flag(
            "retry",
            nil,
            .init(placeholder: "N", example: "5"),
            in: .patience,
            "failed tries in a row before giving up",
            default: "20",
            details: """
                How many rounds in a row may bring no byte of a file before its download fails. Connections that fail \
                together are one round. Before the first usable answer of a run, any failure ends after 3.
                """
        ) { (value, options) throws(Flag.ValueError) in
            options.session.retryRounds = try Value.integer(value, in: 0...1_000_000)
        },
        Flag(
            "retry-wait",
            nil,
            .init(placeholder: "SECONDS", example: "0.25"),
            in: .patience,
            "first wait before a retry; doubles to 30",
            default: "0.5",
            details: "The wait before the first retry. It doubles, with jitter, up to 30 seconds."
        ) { (value, options) throws(Flag.ValueError) in
            options.session.retryWait = try Value.seconds(value, in: .zero ... .seconds(3600))
        },
        Flag(
            "connect-timeout",
            nil,
            .init(placeholder: "SECONDS", example: "7.5"),
            in: .patience,
            "time for resolving and connecting",
            default: "15",
            details: "How long one connection may take to resolve the name, connect and shake hands."
        ) { (value, options) throws(Flag.ValueError) in
            options.session.connectTimeout = try Value.seconds(value, in: shortestTimeout...longestTimeout)
        },
        Flag(
            "stall-timeout",
            nil,
            .init(placeholder: "SECONDS", example: "10"),
            in: .patience,
            "time without a byte before reconnecting",
            default: "20",
            details: "How long a connection may bring no byte before it is replaced by a new one."
        ) { (value, options) throws(Flag.ValueError) in
            options.session.stallTimeout = try Value.seconds(value, in: shortestTimeout...longestTimeout)
        },
        Flag(
            "max-time",
            nil,
            .init(placeholder: "SECONDS", example: "90"),
            in: .patience,
            "time for the whole run, then status 4",
            default: "none",
            details: """
                How long the whole run may take, all URLs together. When it is over, what runs is ended in order with \
                status 4; the same command goes on from there, but for files that can't be resumed. A file whose last byte has come by then is verified, \
                synced and given its name all the same, however long that takes.
                """
        ) { (value, options) throws(Flag.ValueError) in
            options.session.maximumTime = try Value.seconds(value, in: shortestTimeout...longestRun)
        },
    ]

    private static let longestRun = Duration.seconds(365 * 24 * 3600)
    /// The finest that libcurl's timeouts know (CURLOPT_CONNECTTIMEOUT_MS).
    private static let shortestTimeout = Duration.milliseconds(1)
    private static let longestTimeout = Duration.seconds(24 * 3600)
}
