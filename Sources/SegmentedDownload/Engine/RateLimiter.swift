internal import SegmentedDownloadLocking
internal import SegmentedDownloadCore

/// The limit on the rate of all connections of a session. Workers draw from one bucket; the write callback never does.
final class RateLimiter: Sendable {
    /// A read is at most so much of a second's bytes, so that neither it nor several at once show within 2 s.
    private static let readsPerSecond: Int64 = 512

    private struct State {
        var bucket: TokenBucket?
        /// Reads that were let through so far.
        var readCount = 0
        /// By worker: the last read of the connection that has waited longest there; `nil` where none waits.
        var waiting: [Int: Int] = [:]
    }

    private let start = ContinuousClock.now
    private let state: Locked<State>

    init(bytesPerSecond: Int64?) {
        state = Locked(State(bucket: Self.bucket(bytesPerSecond, now: .zero)))
    }

    private static func bucket(_ bytesPerSecond: Int64?, now: Duration) -> TokenBucket? {
        bytesPerSecond.flatMap { $0 > 0 ? TokenBucket(bytesPerSecond: $0, now: now) : nil }
    }

    private var now: Duration { start.duration(to: .now) }

    /// Bytes a second; `nil` is no limit. A new limit begins without debt: at a lower rate the old one would last.
    var bytesPerSecond: Int64? {
        get { state.withLock { $0.bucket?.bytesPerSecond } }
        set {
            let next = Self.bucket(newValue, now: now)
            state.withLock { $0.bucket = next }
        }
    }

    /// How many bytes one read takes at most; `nil` where there is no limit.
    var readByteCount: Int64? { bytesPerSecond.map { max($0 / Self.readsPerSecond, 1) } }

    /// Bytes were read.
    func take(_ byteCount: Int64) {
        let now = now
        state.withLock { $0.bucket?.take(byteCount, now: now) }
    }

    /// Asks for a read. The connection that has waited longest goes first, whichever worker's it is; unless tokens are saved
    /// up meanwhile, since its worker is held up by the disk.
    ///
    /// - Parameters:
    ///   - worker: Whose connection it is.
    ///   - lastRead: Which read its last was (``beginRead()``), 0 for none; `nil` where none of the worker's waits.
    /// - Returns: How long until it may be asked for again; zero where it is granted, `nil` where none waits.
    func wait(worker: Int, lastRead: Int?) -> Duration? {
        let now = now
        return state.withLock { state in
            state.waiting[worker] = lastRead
            guard let lastRead, let bucket = state.bucket else { return nil }
            let wait = bucket.wait(now: now)
            guard wait == .zero, bucket.isBinding(now: now) else { return wait }
            return state.waiting.values.contains { $0 < lastRead } ? .milliseconds(1) : .zero
        }
    }

    /// Numbers the reads of all workers, from 1 on.
    func beginRead() -> Int {
        state.withLock { state in
            state.readCount += 1
            return state.readCount
        }
    }

    /// Whether connections could bring more than they may.
    var isBinding: Bool {
        let now = now
        return state.withLock { $0.bucket?.isBinding(now: now) ?? false }
    }
}
