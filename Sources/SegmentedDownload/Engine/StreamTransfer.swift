internal import SegmentedDownloadLocking
internal import SegmentedDownloadCore

/// The transfer of a file as one plain stream from its start: where the server has no ranges, or tells no length.
final class StreamTransfer: TransferOwner {
    private struct State {
        var outcome: TransferOutcome?
        var diskError: DownloadError?
        /// What this attempt and the farthest one before have brought, as offsets.
        var received: Int64 = 0
        var farthest: Int64 = 0
        var written: Int64 = 0
    }

    private let setup: SegmentedTransfer.Setup
    private let partFile: PartFile
    private let onlySame: Bool
    private let keeper: JournalKeeper
    private let state: Locked<State>

    /// - Parameter onlySame: Whether an answer must prove by a validator that it is the resource as known: a journal
    ///   says of bytes that the stream goes over that they are right.
    init(_ setup: SegmentedTransfer.Setup, partFile: PartFile, syncs: Bool, onlySame: Bool) {
        self.setup = setup
        self.partFile = partFile
        self.onlySame = onlySame
        let state = Locked(State())
        self.state = state
        let (pool, control) = (setup.pool, setup.control)
        keeper = JournalKeeper(
            partFile: partFile,
            journal: nil,
            syncs: syncs,
            takeFinished: { [] },
            onRoom: { pool.resumeWriting() },
            onFailure: { error in
                state.withLock { $0.diskError = error }
                control.signal()
            }
        )
    }

    /// Fetches the file. Blocks the download's queue until the worker has let go of the part file and all of it is
    /// synced.
    ///
    /// - Parameter held: The probe's answer, which goes on as the stream.
    /// - Returns: The file's length in bytes.
    func run(_ held: Probe.Held?) throws(DownloadError) -> Int64 {
        keeper.start(expecting: setup.resource.length)
        let length: Int64
        do throws(DownloadError) {
            length = try fetch(held)
        } catch {
            // What came of the stream is of no use without its rest; the error that ended it is the one to tell.
            try? keeper.finish()
            throw error
        }
        try keeper.finish()
        return length
    }

    private func fetch(_ held: Probe.Held?) throws(DownloadError) -> Int64 {
        var held = held
        var retry = RetryPolicy(setup.options, answered: true)
        while true {
            let before = state.withLock { $0.farthest }
            let outcome = try attempt(held)
            held = nil
            if case .completed(let head) = outcome { return completed(head) }
            if case .fileError(let errno) = outcome { throw partFile.writeError(errno) }
            let error = DownloadError.outcome(outcome, setup.url)
            guard outcome.isTransient else { throw error }
            // Coming as far as before is no progress, or a server that always cuts would be asked for ever.
            if state.withLock({ $0.farthest }) > before { retry.receivedBytes() }
            let retryAfter = outcome.retryAfter(now: WallClock.seconds)
            switch retry.failed(at: setup.control.now, retryAfter: retryAfter) {
            case .giveUp(let reason): throw error.given(up: reason)
            case .retry(let time, let round):
                let wait = max(.zero, time - setup.control.now)
                setup.control.emit(.retry(.init(round: round, wait: wait, reason: outcome.summary)))
                try setup.control.sleep(until: time)
            }
        }
    }

    private func completed(_ head: ResponseHead) -> Int64 {
        if setup.resource.length == nil, !head.isChunked {
            setup.control.note("The server told no length: that the file is complete can't be proven.")
        }
        return state.withLock { $0.received }
    }

    /// One request from the start of the file.
    private func attempt(_ held: Probe.Held?) throws(DownloadError) -> TransferOutcome {
        state.withLock {
            $0.outcome = nil
            $0.received = 0
            $0.written = 0
        }
        let writer = RangeWriter(file: partFile, keeper: keeper, range: 0..<(setup.resource.length ?? .max))
        let transfer: Transfer
        if let held, held.isAvailable {
            transfer = held.transfer.handedOver(lease: nil, to: self, body: .file(writer), promisedEnd: held.end)
            held.handOver(to: transfer)
        } else {
            transfer = Transfer(
                connection: 0,
                request: setup.scope.request(.get, setup.url),
                owner: self,
                body: .file(writer)
            )
            setup.control.counters.addConnections(1)
            setup.pool.post(.start(transfer), connection: transfer.connection)
        }
        return try wait(for: transfer)
    }

    private func wait(for transfer: Transfer) throws(DownloadError) -> TransferOutcome {
        var isRevoked = false
        while true {
            let (outcome, diskError) = state.withLock { ($0.outcome, $0.diskError) }
            if let outcome {
                if let diskError { throw diskError }
                try setup.control.checkCancelled()
                return outcome
            }
            if setup.control.isCancelled || diskError != nil, !isRevoked {
                isRevoked = true
                setup.pool.post(.revoke(transfer), connection: transfer.connection)
            }
            setup.control.wait(upTo: nil)
        }
    }
}

// MARK: - What the worker tells

extension StreamTransfer {
    func decide(_ head: ResponseHead, for transfer: Transfer) -> HeadDecision {
        switch ResponseCheck(resource: setup.resource, asked: .whole).verdict(for: head) {
        case .accept where onlySame && setup.resource.sameness(with: Resource(head)) != .same:
            .reject(.validatorsChanged)
        case .accept(let end): .accept(end: end)
        case .reject(let rejection): .reject(rejection)
        }
    }

    /// Only a probe holds its answer.
    func transferDidPause(_ transfer: Transfer, head: ResponseHead) {}

    /// A stream's end is its server's.
    func transferDidShorten(_ transfer: Transfer, end: Int64) {}

    func transferDidProgress(_ transfer: Transfer) {
        guard let writer = transfer.writer else { return }
        let (again, new, written) = state.withLock { state in
            let known = min(max(state.received, state.farthest), writer.received)
            let (again, new) = (max(0, known - state.received), writer.received - known)
            let written = writer.written - state.written
            state.received = writer.received
            state.farthest = max(state.farthest, state.received)
            state.written = writer.written
            return (again, new, written)
        }
        if again > 0 { setup.control.counters.addReceived(again, isNew: false) }
        if new > 0 { setup.control.counters.addReceived(new) }
        if written > 0 { keeper.wrote(byteCount: Int(written)) }
    }

    func transferDidEnd(_ transfer: Transfer, _ outcome: TransferOutcome) {
        transferDidProgress(transfer)
        setup.control.counters.addConnections(-1)
        state.withLock { $0.outcome = outcome }
        setup.control.signal()
    }
}
