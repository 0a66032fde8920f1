internal import SegmentedDownloadLocking
import Dispatch
internal import CSegdlShims
internal import SegmentedDownloadCore

/// What other threads ask of a worker; done between two turns of its loop, in the order in which they were posted.
enum WorkerCommand: Sendable {
    /// Send the transfer's request.
    case start(Transfer)
    /// End the lease at `end`, or where it is if that is farther; answered by `transferDidShorten`.
    case shorten(Transfer, end: Int64)
    /// End the transfer where it is; answered by `transferDidEnd`.
    case revoke(Transfer)
    /// The answer that the first transfer holds belongs to the second from now on.
    case handOver(Transfer, to: Transfer)
    /// The disk has room again: transfers that wait for it go on.
    case resumeWriting
    /// The limit on the session's rate has changed.
    case applyRateLimit
}

/// A serial queue with one libcurl multi handle that drives its share of the connections.
///
/// One long block takes commands, lets libcurl work, collects what has ended, and polls. A DispatchSource a socket
/// costs 20 times as much CPU (docs/architecture.md).
///
/// Sendable: the inbox is locked; everything else is touched on the queue only.
final class Worker: @unchecked Sendable {
    private struct Inbox {
        var commands: [WorkerCommand] = []
        var isClosing = false
        /// Whether the loop was started: a worker without work makes no thread.
        var isStarted = false
        /// Ends the loop's poll; `nil` once the multi handle is about to be cleaned up.
        var wakeUp: MultiHandle.WakeUp?
    }

    private let inbox = Locked(Inbox())
    private let ended = DispatchGroup()
    private let queue: DispatchQueue
    let number: Int
    let settings: ConnectionSettings
    let rateLimiter: RateLimiter
    private let arrivals: ArrivalCounter
    private var sinceArrivals = Duration.zero
    /// What one read of a connection may bring, in bytes; `nil` where there is no limit.
    var readByteCount: Int64?
    let multi: MultiHandle
    /// By number; a connection belongs to one worker for life.
    var connections: [Int: Connection] = [:]
    let share: ShareHandle

    init(
        number: Int,
        connectionCount: Int,
        settings: ConnectionSettings,
        share: ShareHandle,
        rateLimiter: RateLimiter,
        arrivals: ArrivalCounter
    ) throws(CurlError) {
        self.number = number
        queue = DispatchQueue(label: "segdl.worker.\(number)")
        self.settings = settings
        self.share = share
        self.rateLimiter = rateLimiter
        self.arrivals = arrivals
        readByteCount = rateLimiter.readByteCount
        multi = try MultiHandle.make(connectionCount: connectionCount)
        let wakeUp = multi.wakeUp
        inbox.withLock { $0.wakeUp = wakeUp }
    }

    /// Hands a command over, from any thread. Not after ``close()``: nobody would do it.
    func post(_ command: WorkerCommand) {
        inbox.withLock { inbox in
            inbox.commands.append(command)
            guard inbox.isStarted else {
                inbox.isStarted = true
                return queue.async(group: ended, execute: run)
            }
            // The first one has woken the worker, which takes all that are there.
            if inbox.commands.count == 1 { inbox.wakeUp?() }
        }
    }

    /// Ends the loop, revoking what is under way, and returns when it has ended. Not to be called on its own queue.
    func close() {
        inbox.withLock { inbox in
            inbox.isClosing = true
            inbox.wakeUp?()
        }
        ended.wait()
    }
}

// MARK: - The loop

extension Worker {
    private func run() {
        segdl_name_thread("segdl worker \(number)")
        var last = ContinuousClock.now
        while true {
            if executeCommands() { break }
            do throws(CurlError) {
                let now = ContinuousClock.now
                try turn(elapsed: last.duration(to: now))
                last = now
                try multi.poll(min(pollTimeout, shareRate() ?? .seconds(600)))
            } catch {
                endAll(.failed(error))
            }
        }
        endAll(.revoked)
        for command in takeLastCommands() { execute(command) }
        endAll(.revoked)
        // The handles go before the multi handle and the share handle do.
        connections = [:]
    }

    /// The commands are gone when this returns, and not after the poll that follows, which in an idle session lasts: they
    /// hold transfers, and those the part file, open and locked.
    ///
    /// - Returns: Whether the loop is to end.
    private func executeCommands() -> Bool {
        let (commands, isClosing) = takeCommands()
        for command in commands { execute(command) }
        return isClosing
    }

    private func takeCommands() -> (commands: [WorkerCommand], isClosing: Bool) {
        inbox.withLock { inbox in
            defer { inbox.commands = [] }
            return (inbox.commands, inbox.isClosing)
        }
    }

    /// After this nobody wakes the multi handle.
    private func takeLastCommands() -> [WorkerCommand] {
        inbox.withLock { inbox in
            inbox.wakeUp = nil
            defer { inbox.commands = [] }
            return inbox.commands
        }
    }

    /// Lets libcurl work, and reports what came of it.
    private func turn(elapsed: Duration) throws(CurlError) {
        try multi.perform()
        while let (easy, code) = multi.nextEnded() {
            guard let connection = connection(of: easy), let transfer = connection.transfer else { continue }
            let outcome = transfer.finish(connection.error(code))
            release(connection)
            transfer.owner.transferDidEnd(transfer, outcome)
        }
        for connection in connections.values { watch(connection, elapsed: elapsed) }
        if settings.countsArrivals { countArrivals(elapsed: elapsed) }
    }

    private static let arrivalInterval = Duration.milliseconds(10)

    private func countArrivals(elapsed: Duration) {
        sinceArrivals += elapsed
        guard sinceArrivals >= Self.arrivalInterval else { return }
        sinceArrivals = .zero
        arrivals.add(multi.sockets.takeArrivals())
    }

    private var pollTimeout: Duration {
        // Idle, only a wake-up matters. Busy, the stall clock wants to look often enough.
        guard connections.values.contains(where: { $0.transfer != nil }) else { return .seconds(600) }
        let longest = settings.countsArrivals ? Self.arrivalInterval : Self.longestTurn
        return min(max(settings.stallTimeout / 4, .milliseconds(5)), longest)
    }
}
