internal import SegmentedDownloadLocking
internal import CSegdlShims
internal import Dispatch
internal import Synchronization

/// What runs on the keeper's queue.
extension JournalKeeper {
    /// What the loop remembers from turn to turn.
    struct Rhythm {
        /// When the next sync is due.
        var nextSync: ContinuousClock.Instant
        /// The bytes written when write-back was last started.
        var startedByteCount: Int64 = 0
        /// When write-back was first started since the last sync.
        var firstStart: ContinuousClock.Instant?
    }

    /// A smaller sync tells the disk's latency, not its rate.
    private static let smallestSample: Int64 = 4 << 20

    func run() {
        segdl_name_thread("segdl-journal")
        var rhythm = Rhythm(nextSync: .now + policy.minimumInterval)
        while true {
            waitForWork(until: rhythm.nextSync)
            // Before anything is looked at: what changes from here on wakes the loop once more.
            isWakeUpPending.store(false, ordering: .sequentiallyConsistent)
            guard !isEnding.load(ordering: .sequentiallyConsistent) else { return }
            guard startWriteBack(&rhythm) else { return }
            if isSyncDue(rhythm) {
                guard runCycle(&rhythm) else { return }
            }
            giveRoom()
        }
    }

    /// Sleeps: until the first byte where nothing is new, else until the next sync is due, or until someone wakes it.
    private func waitForWork(until nextSync: ContinuousClock.Instant) {
        guard unsyncedByteCount == 0 else {
            let seconds = max(0, (nextSync - .now) / .seconds(1))
            _ = wakeUp.wait(timeout: .now() + seconds)
            return
        }
        isIdle.store(true, ordering: .sequentiallyConsistent)
        // One who wrote before he could see the flag is seen here.
        if unsyncedByteCount == 0 { wakeUp.wait() }
        isIdle.store(false, ordering: .sequentiallyConsistent)
    }

    /// Half the cap is early enough for a fast network to learn the disk's rate before it has to pause.
    private func isSyncDue(_ rhythm: Rhythm) -> Bool {
        let unsynced = unsyncedByteCount
        guard unsynced > 0 else { return false }
        return ContinuousClock.now >= rhythm.nextSync || syncs && unsynced > cap.load(ordering: .relaxed) / 2
    }

    private func giveRoom() {
        guard isAwaitingRoom.load(ordering: .sequentiallyConsistent),
            unsyncedByteCount <= cap.load(ordering: .relaxed)
        else {
            return
        }
        isAwaitingRoom.store(false, ordering: .sequentiallyConsistent)
        onRoom()
    }

    /// - Returns: `false` after a failure.
    private func startWriteBack(_ rhythm: inout Rhythm) -> Bool {
        let written = writtenByteCount.load(ordering: .sequentiallyConsistent)
        guard syncs, written - rhythm.startedByteCount >= policy.writeBackByteCount else { return true }
        rhythm.startedByteCount = written
        if rhythm.firstStart == nil { rhythm.firstStart = .now }
        do throws(Errno) {
            try partFile.startWriteBack()
            return true
        } catch {
            return fail(partFile.syncError(error))
        }
    }

    /// Brings data to the disk, then bits. The order is the promise: segments are taken first, so that each of their
    /// bytes was written before the sync; their bits are set only after the sync has succeeded. Where it fails they
    /// were taken, and nobody records them ever. Nor are they where another program has cut the file meanwhile.
    ///
    /// - Returns: `false` after a failure.
    func runCycle(_ rhythm: inout Rhythm) -> Bool {
        let start = ContinuousClock.now
        let segments = takeFinished()
        let covered = writtenByteCount.load(ordering: .sequentiallyConsistent)
        if syncs {
            do throws(Errno) {
                try partFile.syncData()
            } catch {
                return fail(partFile.syncError(error))
            }
            measure(covered, since: rhythm.firstStart ?? start)
            rhythm.firstStart = nil
        }
        do throws(DownloadError) {
            let size = try partFile.checkIsWhole(leastByteCount: leastByteCount.load(ordering: .sequentiallyConsistent))
            leastByteCount.store(size, ordering: .sequentiallyConsistent)
        } catch {
            return fail(error)
        }
        do throws(Errno) {
            try record(segments)
        } catch {
            return fail(journal?.writeError(error) ?? partFile.writeError(error))
        }
        syncedByteCount.store(covered, ordering: .sequentiallyConsistent)
        if syncs, covered > policy.cachedByteCount { partFile.dropCache(upTo: readByteCount()) }
        let end = ContinuousClock.now
        rhythm.nextSync = end + max(policy.minimumInterval, end - start)
        return true
    }

    private func record(_ segments: [Int]) throws(Errno) {
        guard let journal, !segments.isEmpty else { return }
        try journal.record(segments: segments)
        if syncs { try journal.sync() }
    }

    /// Lets the cap follow what the disk takes in a second.
    private func measure(_ covered: Int64, since start: ContinuousClock.Instant) {
        let byteCount = covered - syncedByteCount.load(ordering: .sequentiallyConsistent)
        guard byteCount >= Self.smallestSample else { return }
        let seconds = max((ContinuousClock.now - start) / .seconds(1), 0.001)
        cap.store(max(policy.minimumCap, Int64(Double(byteCount) / seconds)), ordering: .relaxed)
    }

    private func fail(_ error: DownloadError) -> Bool {
        outcome.withLock { $0 = .failed(error) }
        onFailure(error)
        return false
    }
}
