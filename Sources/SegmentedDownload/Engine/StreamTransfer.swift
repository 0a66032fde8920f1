internal import SegmentedDownloadLocking
internal import SegmentedDownloadCore

/// The transfer of a file as one plain stream from its start: where the server has no ranges, or tells no length.
///
/// What is held already is compared with the stream instead of written, so that a server that has lost its ranges
/// costs nothing that an earlier run brought.
final class StreamTransfer: TransferOwner {
    /// How a request ended.
    private struct End {
        let outcome: TransferOutcome
        /// The head of its answer, where one came.
        let head: ResponseHead?
    }

    private struct State {
        var end: End?
        var diskError: DownloadError?
        /// What is finished; `nil` where the length is not known.
        var ledger: SegmentLedger?
        /// What this attempt and the farthest one before have brought, as offsets.
        var received: Int64 = 0
        var farthest: Int64 = 0
        var written: Int64 = 0
    }

    private let setup: SegmentedTransfer.Setup
    private let partFile: PartFile
    private let keeper: JournalKeeper
    private let state: Locked<State>
    /// What was finished at the start.
    private let held: SegmentLedger?

    /// - Parameters:
    ///   - ledger: What is finished already; `nil` where the length is not known.
    ///   - journal: `nil` where nothing is recorded.
    init(
        _ setup: SegmentedTransfer.Setup,
        ledger: SegmentLedger?,
        partFile: PartFile,
        journal: Journal?,
        syncs: Bool
    ) {
        self.setup = setup
        self.partFile = partFile
        held = ledger
        let state = Locked(State(ledger: ledger))
        self.state = state
        let (pool, control, digest) = (setup.pool, setup.control, setup.digest)
        keeper = JournalKeeper(
            partFile: partFile,
            journal: journal,
            syncs: syncs,
            policy: setup.options.keeperPolicy,
            takeFinished: { state.withLock { $0.ledger?.takeFreshlyFinished() ?? [] } },
            readByteCount: { digest?.hashedByteCount },
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
    /// - Parameter held: The probe's answer, claimed, which goes on as the stream.
    func run(_ held: Probe.Held?) -> TransferEnding {
        keeper.start(expecting: setup.resource.length)
        let ending: TransferEnding
        do throws(DownloadError) {
            ending = try fetch(held)
        } catch {
            ending = .failed(error)
        }
        setup.control.allotment.rest()
        if case .complete = ending { setup.control.enter(.syncing) }
        do throws(DownloadError) {
            try keeper.finish()
        } catch {
            return .failed(error)
        }
        return ending
    }

    /// What is finished; `nil` where the length is not known.
    var ledger: SegmentLedger? { state.withLock { $0.ledger } }

    private func fetch(_ held: Probe.Held?) throws(DownloadError) -> TransferEnding {
        var held = held
        var retry = RetryPolicy(setup.options, answered: true)
        while true {
            let before = state.withLock { $0.farthest }
            let end = try attempt(held)
            let outcome = end.outcome
            held = nil
            if let ending = try ending(outcome, end.head) { return ending }
            // Coming as far as before is no progress, or a server that always cuts would be asked for ever.
            if state.withLock({ $0.farthest }) > before { retry.receivedBytes() }
            try setup.control.waitToRetry(setup.url, after: setup.error(of: outcome), &retry, telling: outcome.summary)
        }
    }

    /// - Returns: `nil` where it is tried again.
    private func ending(_ outcome: TransferOutcome, _ head: ResponseHead?) throws(DownloadError) -> TransferEnding? {
        switch outcome {
        case .completed(let head): return .complete(length: completed(head))
        case .fileError(let errno): throw partFile.writeError(errno)
        case .heldBytesDiffer: return .heldBytesDiffer
        case .rejected(let rejection):
            let error = setup.error(of: outcome)
            if let ending = TransferEnding(rejection, head: head, isDerived: setup.isDerived, error: error) {
                return ending
            }
        default: break
        }
        guard outcome.isTransient else { throw setup.error(of: outcome) }
        return nil
    }

    private func completed(_ head: ResponseHead) -> Int64 {
        if setup.resource.length == nil, !head.isChunked {
            setup.control.note("The server told no length: that the file is complete can't be proven.")
        }
        return state.withLock { $0.received }
    }

    /// One request from the start of the file.
    private func attempt(_ held: Probe.Held?) throws(DownloadError) -> End {
        // An attempt before this one may have brought other bytes.
        if state.withLock({ $0.written }) > 0 { setup.digest?.restart() }
        let ledger = state.withLock { state in
            state.end = nil
            state.received = 0
            state.written = 0
            state.ledger?.forgetUnfinished()
            return state.ledger
        }
        let writer = RangeWriter(
            file: partFile,
            keeper: keeper,
            range: 0..<(setup.resource.length ?? .max),
            held: ledger.flatMap { $0.finishedByteCount > 0 ? HeldBytes(file: partFile, ledger: $0) : nil }
        )
        let transfer: Transfer
        if let held {
            transfer = held.transfer.handedOver(lease: nil, to: self, body: .file(writer), promisedEnd: held.end)
            held.handOver(to: transfer)
        } else {
            try setup.control.waitForHold(of: setup.url)
            transfer = Transfer(
                connection: try setup.control.connection(to: setup.url),
                request: setup.scope.request(.get, setup.url),
                owner: self,
                body: .file(writer)
            )
            setup.control.counters.addConnections(1)
            setup.pool.post(.start(transfer), connection: transfer.connection)
        }
        return try wait(for: transfer)
    }

    private func wait(for transfer: Transfer) throws(DownloadError) -> End {
        var isRevoked = false
        var seen: Int64 = 0
        while true {
            let (end, diskError, received) = state.withLock { ($0.end, $0.diskError, $0.received) }
            if received > seen { setup.control.tellOfHost(setup.url.origin) }
            seen = received
            if let end {
                if let diskError { throw diskError }
                guard case .completed = end.outcome else {
                    try setup.control.checkCancelled()
                    return end
                }
                return end
            }
            if setup.control.isCancelled || diskError != nil, !isRevoked {
                isRevoked = true
                setup.pool.post(.revoke(transfer), connection: transfer.connection)
            }
            setup.control.wait(upTo: DownloadControl.lookInterval)
        }
    }
}

// MARK: - What the worker tells

extension StreamTransfer {
    func decide(_ head: ResponseHead, for transfer: Transfer) -> HeadDecision {
        .init(ResponseCheck(resource: setup.resource, asked: .whole).verdict(for: head))
    }

    /// Only a probe holds its answer.
    func transferIsHeld(_ transfer: Transfer, head: ResponseHead) {}

    /// A stream's end is its server's.
    func transferDidShorten(_ transfer: Transfer, end: Int64) {}

    func transferDidProgress(_ transfer: Transfer) {
        guard let writer = transfer.writer else { return }
        let (new, all, written) = state.withLock { state in
            let arrived = state.received..<max(state.received, writer.received)
            let beyond = min(max(arrived.lowerBound, state.farthest), arrived.upperBound)..<arrived.upperBound
            let new = Int64(beyond.count) - (held?.finishedByteCount(in: beyond) ?? 0)
            let written = state.written..<max(state.written, writer.written)
            state.ledger?.wrote(written)
            state.received = arrived.upperBound
            state.farthest = max(state.farthest, state.received)
            state.written = written.upperBound
            return (new, Int64(arrived.count), written.count)
        }
        if all > new { setup.control.counters.addReceived(all - new, by: transfer.connection, isNew: false) }
        if new > 0 { setup.control.counters.addReceived(new, by: transfer.connection) }
        if written > 0 {
            keeper.wrote(byteCount: written)
            setup.digest?.advance(to: writer.written)
        }
    }

    func transferDidEnd(_ transfer: Transfer, _ outcome: TransferOutcome) {
        transferDidProgress(transfer)
        setup.control.counters.addConnections(-1)
        setup.control.hosts.heed(outcome, from: setup.url.origin)
        let end = End(outcome: outcome, head: transfer.head)
        state.withLock { $0.end = end }
        setup.control.signal()
    }
}
