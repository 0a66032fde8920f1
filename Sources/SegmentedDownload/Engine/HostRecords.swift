internal import SegmentedDownloadLocking
internal import SegmentedDownloadCore

/// What a session knows of the hosts that it talks to, and the clock by which it knows it.
///
/// The lock is the innermost: nothing is called with it held.
final class HostRecords: Sendable {
    private let start = ContinuousClock.now
    private let records = Locked<[String: HostRecord]>([:])
    private let configuration: ConnectionLimit.Configuration
    /// When the session's downloads end, as a time since its start; `nil` for never.
    let deadline: Duration?

    init(_ options: SessionOptions) {
        deadline = options.maximumTime
        configuration = ConnectionLimit.Configuration(
            maximum: options.jobs,
            grace: options.retryWait,
            patience: options.growthPatience
        )
    }

    /// The time since the session's start.
    var now: Duration { start.duration(to: .now) }

    /// Looks at the record of an origin (``HTTPURL/origin``), and changes it.
    func with<Result: Sendable>(_ origin: String, _ body: @Sendable (inout HostRecord) -> Result) -> Result {
        records.withLock { records in
            body(&records[origin, default: HostRecord(connections: configuration)])
        }
    }

    /// How many requests may be under way to an origin at once.
    func permittedConnections(to origin: String) -> Int {
        let now = now
        return with(origin) { $0.connections.permitted(at: now) }
    }

    /// Whether requests may be sent to an origin.
    func hold(_ origin: String) -> HostRecord.Hold {
        let now = now
        return with(origin) { $0.hold(at: now) }
    }

    /// Remembers the Retry-After of an answer that may be another next time; other answers mean nothing.
    func heed(_ outcome: TransferOutcome, from origin: String) {
        guard let wait = outcome.retryAfter(now: WallClock.seconds), wait > .zero else { return }
        // HEAD is refused in many ways where GET is answered: it may make a download wait, but not end it.
        if case .completed = outcome, wait > HostRecord.longestHold { return }
        let now = now
        with(origin) { $0.asksToBeLeftAlone(for: wait, now: now) }
    }
}

extension DownloadControl {
    /// Blocks until a request may be sent to the host of a URL.
    ///
    /// - Throws: `server` where it wants to be left alone for longer than anybody waits; `cancelled`.
    func waitForHold(of url: HTTPURL) throws(DownloadError) {
        while true {
            switch hosts.hold(url.origin) {
            case .none: return
            case .tooLong(let wait): throw .leftAlone(url, wait)
            case .until(let time):
                // Nothing is under way here: other hosts' downloads may have the connections meanwhile.
                rest()
                let reason = "\(url.authority) asks to be left alone"
                emit(.retry(.init(round: 0, wait: max(.zero, time - now), reason: reason)))
                try sleep(until: time)
            }
        }
    }
}

extension DownloadError {
    /// The host's Retry-After is longer than anybody waits for.
    static func leftAlone(_ url: HTTPURL, _ wait: Duration) -> DownloadError {
        let seconds = wait.components.seconds + (wait.components.attoseconds > 0 ? 1 : 0)
        return DownloadError(
            .server,
            "\(url.authority) asks to be left alone for \(seconds) s (Retry-After): run the same command then.",
            url: url.redacted
        )
    }
}
