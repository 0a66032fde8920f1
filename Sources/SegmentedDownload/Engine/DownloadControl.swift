import Dispatch
internal import SegmentedDownloadCore
internal import Synchronization

/// What the parts of one download share: the session's clock and hosts, whether it was cancelled, its counters, and
/// where events go.
final class DownloadControl: Sendable {
    private let start: Duration
    let hosts: HostRecords
    private let cancelled = Atomic<Bool>(false)
    private let wakeUp = DispatchSemaphore(value: 0)
    private let onEvent: @Sendable (DownloadEvent) -> Void
    let counters = DownloadCounters()

    init(hosts: HostRecords, onEvent: @escaping @Sendable (DownloadEvent) -> Void) {
        self.hosts = hosts
        start = hosts.now
        self.onEvent = onEvent
    }

    /// The time since the session's start.
    var now: Duration { hosts.now }
    /// The time since the download's start.
    var elapsed: Duration { now - start }

    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    func cancel() {
        cancelled.store(true, ordering: .releasing)
        signal()
    }

    /// Something that the download's queue may wait for has happened.
    func signal() { wakeUp.signal() }

    /// Blocks the download's queue until ``signal()``, or for as long as `timeout`.
    func wait(upTo timeout: Duration?) {
        guard let timeout else { return wakeUp.wait() }
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

    func checkCancelled() throws(DownloadError) {
        if isCancelled { throw .stopped }
    }

    func emit(_ event: DownloadEvent) { onEvent(event) }
    func note(_ text: String) { onEvent(.note(text.printable)) }
    func detail(_ text: String) { onEvent(.detail(text.printable)) }

    func enter(_ phase: DownloadProgress.Phase) {
        counters.enter(phase)
        onEvent(.phase(phase))
    }
}

extension DownloadError {
    static let stopped = DownloadError(.cancelled, "The download was stopped.")
}
