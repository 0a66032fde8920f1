import Dispatch
internal import SegmentedDownloadCore
internal import Synchronization

/// What the parts of one download share: the session's clock and hosts, its connections, whether it was cancelled, its
/// counters, and where events go.
final class DownloadControl: Sendable {
    private let start: Duration
    let hosts: HostRecords
    let allotment: ConnectionAllotment
    let preconnections = Preconnections()
    private let cancelled = Atomic<Bool>(false)
    private let wakeUp = DispatchSemaphore(value: 0)
    private let onEvent: @Sendable (DownloadEvent) -> Void
    let counters = DownloadCounters()

    init(
        hosts: HostRecords,
        allotment: ConnectionAllotment,
        onEvent: @escaping @Sendable (DownloadEvent) -> Void
    ) {
        self.hosts = hosts
        self.allotment = allotment
        start = hosts.now
        self.onEvent = onEvent
    }

    /// The time since the session's start.
    var now: Duration { hosts.now }
    /// The time since the download's start.
    var elapsed: Duration { now - start }

    /// Whether the download is to end: it was cancelled, or the session's time is over.
    var isCancelled: Bool { cancelled.load(ordering: .acquiring) || isOverdue }

    /// The session's time is for what servers may still send. Once every byte is there, what is left is the machine's own
    /// work, and the next run would have to do all of it again: one whose time is shorter would never end well.
    private var isOverdue: Bool {
        guard let deadline = hosts.deadline, now >= deadline else { return false }
        return !counters.phase.hasAllBytes
    }

    func cancel() {
        cancelled.store(true, ordering: .releasing)
        signal()
    }

    /// Something that the download's queue may wait for has happened.
    func signal() { wakeUp.signal() }

    /// Blocks the download's queue until ``signal()``, or for as long as `timeout`, and no further than to the session's
    /// deadline, so that whoever waits looks at ``isCancelled`` then.
    func wait(upTo timeout: Duration?) {
        // Past the deadline who waits without a limit waits for the machine's own work, or has yet to look at the clock.
        let left = hosts.deadline.map { max($0 - now, .milliseconds(100)) }
        guard let timeout = [timeout, left].compactMap(\.self).min() else { return wakeUp.wait() }
        let nanoseconds = Int(max(0, min(timeout.inSeconds, 1e6)) * 1e9)
        _ = wakeUp.wait(timeout: .now() + .nanoseconds(nanoseconds))
    }

    /// Blocks until a time on the session's clock.
    ///
    /// - Throws: `cancelled`.
    func sleep(until time: Duration) throws(DownloadError) {
        while now < time {
            try checkCancelled()
            wait(upTo: time - now)
        }
        try checkCancelled()
    }

    /// Blocks until a request that failed may be sent again. The download has nothing under way then, and no connection.
    ///
    /// - Parameters:
    ///   - url: Where to; its host's Retry-After counts.
    ///   - error: What it failed with; thrown where it is not tried again.
    ///   - reason: What the event of the retry says; `nil` tells nobody.
    func waitToRetry(
        _ url: HTTPURL,
        after error: DownloadError,
        _ retry: inout RetryPolicy,
        telling reason: String?
    ) throws(DownloadError) {
        switch retry.failed(at: now) {
        case .giveUp(let reason): throw error.given(up: reason)
        case .retry(var time, let round):
            if case .until(let end) = hosts.hold(url.origin) { time = max(time, end) }
            if let reason { emit(.retry(.init(round: round, wait: max(.zero, time - now), reason: reason))) }
            rest()
            try sleep(until: time)
        }
    }

    /// Lets go of all connections, while the download waits.
    func rest() {
        preconnections.close()
        allotment.rest()
    }

    /// How often those look at what their host bears by now who wait for it, or receive a stream.
    static let lookInterval = Duration.seconds(1)

    /// Blocks until the download has a connection for a request to the host of a URL.
    ///
    /// - Returns: Its number; nothing is under way on it where the download asks for one thing at a time.
    /// - Throws: `cancelled`.
    func connection(to url: HTTPURL) throws(DownloadError) -> Int {
        while true {
            if let connection = allotment.exchange(.init(origin: url.origin, wanted: 1)).first { return connection }
            try checkCancelled()
            wait(upTo: Self.lookInterval)
        }
    }

    func checkCancelled() throws(DownloadError) {
        if isCancelled { throw stopped }
    }

    func emit(_ event: DownloadEvent) { onEvent(event) }
    func note(_ text: String) { onEvent(.note(text.printable)) }
    func detail(_ text: String) { onEvent(.detail(text.printable)) }

    func enter(_ phase: DownloadProgress.Phase) {
        if counters.enter(phase) { onEvent(.phase(phase)) }
    }
}

extension DownloadControl {
    /// Why the download is to end.
    var stopped: DownloadError {
        guard !cancelled.load(ordering: .acquiring), isOverdue else {
            return DownloadError(.cancelled, "The download was stopped.")
        }
        return DownloadError(
            .network,
            "The time of the whole run (--max-time) is over; run the same command to go on."
        )
    }
}
