internal import CSegdlShims
internal import SegmentedDownloadLocking
internal import Dispatch
internal import Synchronization

/// Keeps the journal true in the background: starts write-back early, syncs data before it sets bits, and says when
/// too much is unsynced.
///
/// One long block on a serial queue of its own: no sync ever stands in the data path. Without a journal (a file that
/// fits one segment, or of unknown length) all is the same but the bits. The block keeps the keeper alive until
/// ``finish()``, which must be called.
package final class JournalKeeper: Sendable {
    /// When to act. The defaults are the design's; tests take smaller ones.
    package struct Policy: Sendable {
        /// The least time between two syncs.
        package var minimumInterval = Duration.milliseconds(250)
        /// Bytes written after which write-back is started.
        package var writeBackByteCount: Int64 = 8 << 20
        /// Bytes that may always be unsynced; more may on a disk that takes more in a second.
        package var minimumCap: Int64 = 64 << 20

        /// Bytes that a run may leave in the page cache, for whoever reads the file next. One that writes more gives back
        /// all of it: else a file that is larger than memory pushes out what every other program works with.
        package var cachedByteCount: Int64 = Self.quarterOfMemory

        /// The defaults.
        package init() {}

        private static let quarterOfMemory = segdl_memory_byte_count() > 0 ? segdl_memory_byte_count() / 4 : .max
    }

    let partFile: PartFile
    let journal: Journal?
    let syncs: Bool
    let policy: Policy
    let takeFinished: @Sendable () -> [Int]
    let readByteCount: @Sendable () -> Int64?
    let onRoom: @Sendable () -> Void
    let onFailure: @Sendable (DownloadError) -> Void

    private let queue = DispatchQueue(label: "segdl.journal-keeper")
    let wakeUp = DispatchSemaphore(value: 0)
    let isWakeUpPending = Atomic(false)

    /// Bytes written, ever. Only grows.
    let writtenByteCount = Atomic<Int64>(0)
    /// The part of ``writtenByteCount`` that is on the disk.
    let syncedByteCount = Atomic<Int64>(0)
    let cap: Atomic<Int64>
    /// The size that the part file has had: it never gets shorter unless another program does it.
    let leastByteCount = Atomic<Int64>(0)
    /// Whether someone was told to pause, and waits for ``onRoom``.
    let isAwaitingRoom = Atomic(false)
    /// Whether the loop waits without a time limit, for the first byte.
    let isIdle = Atomic(false)
    let isEnding = Atomic(false)
    /// Whether the loop was started: without it nobody would give room again.
    private let isLooping = Atomic(false)
    let outcome = Locked<Outcome>(.running)

    enum Outcome {
        case running
        case finished
        case failed(DownloadError)
    }

    /// Makes a keeper that does nothing yet.
    ///
    /// - Parameters:
    ///   - partFile: The part file.
    ///   - journal: Its journal; `nil` keeps none.
    ///   - syncs: Whether data is synced before bits are set. Else bits are set on the same rhythm, without any sync,
    ///     write-back or cap.
    ///   - policy: When to act.
    ///   - takeFinished: Hands over, once each, the segments whose last write has returned. Called on the keeper's
    ///     queue.
    ///   - readByteCount: How far the file was read again, by one who reads all of it once: what lies beyond stays in the
    ///     page cache. `nil` where nobody does. Called on the keeper's queue.
    ///   - onRoom: Called on the keeper's queue, with no lock held, after ``mustPause`` was true and is no more. It must
    ///     leave a mark (`curl_multi_wakeup`) that also reaches a worker that is about to pause only now.
    ///   - onFailure: Called at most once, on the keeper's queue, with no lock held. What was finished since the last
    ///     sync then counts as missing.
    package init(
        partFile: PartFile,
        journal: Journal?,
        syncs: Bool,
        policy: Policy = Policy(),
        takeFinished: @escaping @Sendable () -> [Int],
        readByteCount: @escaping @Sendable () -> Int64? = { nil },
        onRoom: @escaping @Sendable () -> Void,
        onFailure: @escaping @Sendable (DownloadError) -> Void
    ) {
        self.partFile = partFile
        self.journal = journal
        self.syncs = syncs
        self.policy = policy
        self.takeFinished = takeFinished
        self.readByteCount = readByteCount
        self.onRoom = onRoom
        self.onFailure = onFailure
        cap = Atomic(policy.minimumCap)
    }

    /// Starts the loop; once. Where a file without a journal ends before write-back would begin, there is nothing to
    /// do in the background: no thread is made for it, and ``finish()`` does all of it.
    ///
    /// - Parameter byteCount: The bytes that will be written; `nil` where nobody knows.
    package func start(expecting byteCount: Int64? = nil) {
        leastByteCount.store((try? partFile.size()) ?? 0, ordering: .sequentiallyConsistent)
        guard journal != nil || byteCount.map({ $0 >= policy.writeBackByteCount }) ?? true else { return }
        isLooping.store(true, ordering: .sequentiallyConsistent)
        queue.async { self.run() }
    }

    /// Counts bytes whose write has returned, after the segments that they finished were given to where
    /// `takeFinished` finds them: else a segment could miss the last sync before a pause. Any thread; a few atomic
    /// operations, and one semaphore signal for every 8 MiB.
    ///
    /// - Parameter byteCount: Bytes written since the call before.
    package func wrote(byteCount: Int) {
        let (before, after) = writtenByteCount.add(Int64(byteCount), ordering: .sequentiallyConsistent)
        let isStepPassed = before / policy.writeBackByteCount != after / policy.writeBackByteCount
        if isStepPassed || isIdle.load(ordering: .sequentiallyConsistent) {
            wake()
        }
    }

    /// Whether no more may be written for now, since too much is unsynced. One who was told so is called back by
    /// `onRoom`, or by `onFailure`. Any thread. Always false without syncs.
    package var mustPause: Bool {
        guard syncs, unsyncedByteCount > cap.load(ordering: .relaxed), isLooping.load(ordering: .relaxed) else {
            return false
        }
        // The keeper looks at the flag after every wake-up: whatever it does just now, it sees this one.
        if !isAwaitingRoom.exchange(true, ordering: .sequentiallyConsistent) { wake() }
        return true
    }

    /// The orderly end, also after an error: ends the loop, then runs one last cycle. After it every byte written is on
    /// the disk (if syncs) and every finished segment's bit too. Blocks for as long as the disk needs; called again, it
    /// only tells again how it ended. Never called from this keeper's own closures.
    ///
    /// - Throws: `localFile`: the failure, also where `onFailure` has reported it.
    package func finish() throws(DownloadError) {
        isEnding.store(true, ordering: .sequentiallyConsistent)
        wake()
        queue.sync {
            guard case .running = outcome.withLock(\.self) else { return }
            var rhythm = Rhythm(nextSync: .now)
            if runCycle(&rhythm) { outcome.withLock { $0 = .finished } }
        }
        if case .failed(let error) = outcome.withLock(\.self) { throw error }
    }

    var unsyncedByteCount: Int64 {
        writtenByteCount.load(ordering: .sequentiallyConsistent)
            - syncedByteCount.load(ordering: .sequentiallyConsistent)
    }

    private func wake() {
        if !isWakeUpPending.exchange(true, ordering: .sequentiallyConsistent) { wakeUp.signal() }
    }
}
