internal import SegmentedDownloadLocking
internal import SegmentedDownloadCore

// What workers tell, each on its own thread.
extension SegmentedTransfer {
    /// So many answers in a row, and in all, that are no part as asked for are asked for again, before ranges are
    /// given up: a server that ignores ranges now and then is worth it, one that always does is not.
    private static let toleratedMisplacedInARow = 3
    private static let toleratedMisplacedCount = 16

    func decide(_ head: ResponseHead, for transfer: Transfer) -> HeadDecision {
        guard let range = transfer.request.range else { return .reject(.wrongWindow) }
        let verdict = ResponseCheck(resource: setup.resource, asked: .range(range)).verdict(for: head)
        if case .accept = verdict {
            state.withLock { $0.misplacedInARow = 0 }
            tellOpened(transfer, range)
        }
        return .init(verdict)
    }

    /// Only a probe holds its answer.
    func transferIsHeld(_ transfer: Transfer, head: ResponseHead) {}

    func transferDidProgress(_ transfer: Transfer) {
        guard let lease = transfer.lease, let writer = transfer.writer else { return }
        let now = setup.control.now
        let (advance, frontier) = state.withLock { state in
            let advance = state.scheduler.progressed(
                connection: transfer.connection,
                lease: lease,
                received: writer.received,
                written: writer.written,
                now: now
            )
            if advance.received > 0 { state.retry.receivedBytes() }
            if let askedAt = advance.firstByteOfRequestAt { delivered(askedAt: askedAt, &state) }
            return (advance, state.scheduler.ledger.contiguousByteCount)
        }
        count(advance, of: transfer)
        // Only for a lease that its worker still has: the digest may begin anew once all have let go.
        if advance.written > 0 { setup.digest?.advance(to: frontier) }
    }

    func transferDidShorten(_ transfer: Transfer, end: Int64) {
        guard let lease = transfer.lease else { return }
        transferDidProgress(transfer)
        let now = setup.control.now
        state.withLock { state in
            permit(&state, now: now)
            let actions = state.scheduler.shortened(
                connection: transfer.connection,
                lease: lease,
                end: end,
                now: now
            )
            perform(actions, &state)
        }
    }

    func transferDidEnd(_ transfer: Transfer, _ outcome: TransferOutcome) {
        guard let lease = transfer.lease, let written = transfer.writer?.written else { return }
        transferDidProgress(transfer)
        setup.control.counters.addConnections(-1)
        setup.control.hosts.heed(outcome, from: setup.url.origin)
        let now = setup.control.now
        let (isDue, judgement) = state.withLock { state in
            state.transfers[transfer.connection] = nil
            let judgement = judge(outcome, of: transfer, &state, now: now)
            // Before the scheduler can deal what this connection gives back.
            if state.ending != nil { perform(state.scheduler.stop(), &state) }
            permit(&state, now: now)
            let actions = state.scheduler.ended(
                connection: transfer.connection,
                lease: lease,
                written: written,
                availableAt: judgement.availableAt,
                now: now
            )
            perform(actions, &state)
            // A connection with nothing to do is another download's.
            let isDue =
                state.scheduler.isQuiet || state.ending != nil || !state.scheduler.idleConnections(now: now).isEmpty
            return (isDue, judgement)
        }
        report(outcome, of: transfer)
        if let detail = judgement.detail { setup.control.detail("Connection \(transfer.connection): \(detail)") }
        if let retry = judgement.retry { setup.control.emit(.retry(retry)) }
        if isDue { setup.control.signal() }
    }

    private func count(_ advance: Scheduler.Advance, of transfer: Transfer) {
        if advance.received > 0 { setup.control.counters.addReceived(advance.received, by: transfer.connection) }
        // After the ledger knows of them: the keeper must find the segments that these bytes finished.
        if advance.written > 0 { keeper.wrote(byteCount: Int(advance.written)) }
    }

    private func report(_ outcome: TransferOutcome, of transfer: Transfer) {
        switch outcome {
        case .completed: emit(transfer, .closed, outcome.summary)
        // Who was never told that it was opened has nothing to be told of.
        case .cutShort, .revoked: if transfer.head != nil { emit(transfer, .cutShort, outcome.summary) }
        default: emit(transfer, .failed, outcome.summary)
        }
    }

    /// A connection begins to bring bytes.
    func tellOpened(_ transfer: Transfer, _ range: Range<Int64>) {
        let place = transfer.openedConnection ? ", on a new TCP connection" : ""
        emit(transfer, .opened, "for bytes \(range.lowerBound) to \(range.upperBound)\(place)")
    }

    private func emit(_ transfer: Transfer, _ change: DownloadEvent.Connection.Change, _ reason: String) {
        setup.control.emit(.connection(.init(number: transfer.connection, change: change, reason: reason)))
    }
}

// MARK: - What an end means

extension SegmentedTransfer {
    /// Decides whether the connection goes on at once, after a wait, or the whole transfer ends.
    private func judge(
        _ outcome: TransferOutcome,
        of transfer: Transfer,
        _ state: inout State,
        now: Duration
    ) -> Judgement {
        endIfLeftAlone(&state, underWay: 1)
        guard state.ending == nil else { return Judgement(availableAt: now) }
        if let judgement = judgeRefusal(outcome, of: transfer, &state, now: now) { return judgement }
        switch outcome {
        case .completed, .cutShort, .revoked: return Judgement(availableAt: now)
        case .rejected(let rejection):
            if let judgement = judge(rejection, of: transfer, &state, now: now) { return judgement }
        default: break
        }
        guard outcome.isTransient else {
            state.ending = .failed(error(of: outcome))
            return Judgement(availableAt: now)
        }
        return tryAgain(outcome, of: transfer, &state, now: now)
    }

    /// The connection waits; where nothing else is under way, all do.
    private func tryAgain(
        _ outcome: TransferOutcome,
        of transfer: Transfer,
        _ state: inout State,
        now: Duration
    ) -> Judgement {
        switch state.retry.failed(at: now) {
        case .giveUp(let reason):
            state.ending = .failed(error(of: outcome).given(up: reason))
            return Judgement(availableAt: now)
        case .retry(let time, let round):
            if state.scheduler.others(than: transfer.connection).count == 0 { state.waitUntil = time }
            let wait = max(time, setup.control.hosts.with(setup.url.origin) { $0.holdUntil }) - now
            return Judgement(
                availableAt: time,
                retry: .init(round: round, wait: max(.zero, wait), reason: outcome.summary)
            )
        }
    }

    /// - Returns: `nil` where it is judged as any other failure.
    private func judge(
        _ rejection: Rejection,
        of transfer: Transfer,
        _ state: inout State,
        now: Duration
    ) -> Judgement? {
        let error = error(of: .rejected(rejection))
        if let ending = TransferEnding(rejection, head: transfer.head, isDerived: setup.isDerived, error: error) {
            state.ending = ending
            return Judgement(availableAt: now)
        }
        switch rejection {
        case .rangesIgnored(.same) where transfer.request.ifRange != nil:
            // Some servers answer 200 to their own validator. Each 206's own validators are compared all the same.
            state.sendsIfRange = false
        case .wrongWindow, .missingContentRange, .malformedContentRange, .rangesIgnored, .multipart, .unknownTotal,
            .status(400, _), .status(501, _):
            state.misplacedInARow += 1
            state.misplacedCount += 1
            if state.misplacedInARow > Self.toleratedMisplacedInARow
                || state.misplacedCount > Self.toleratedMisplacedCount
            {
                state.ending = .unusableRanges(rejection)
            }
        // It came to light behind bytes that were written: none of its ranges can be relied on.
        case .contradictoryLength: state.ending = .unusableRanges(rejection)
        default: return nil
        }
        return Judgement(availableAt: now)
    }

    func error(of outcome: TransferOutcome) -> DownloadError {
        if case .fileError(let errno) = outcome { return partFile.writeError(errno) }
        return setup.error(of: outcome)
    }
}
