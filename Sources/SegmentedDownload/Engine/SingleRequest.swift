internal import SegmentedDownloadLocking
internal import SegmentedDownloadCore

/// One request that the download's queue waits for: a probe, or a sample block.
final class SingleRequest: TransferOwner {
    /// What came of it.
    enum Answer: Sendable {
        /// It is over.
        case ended(TransferOutcome, body: [UInt8])
        /// The answer is held at its first body byte; `end` is where the body will end, as an offset.
        case held(Transfer, ResponseHead, end: Int64?)
        /// Nothing came in time, and it was revoked.
        case overdue
    }

    /// What to make of an answer.
    typealias Judge = @Sendable (ResponseHead) -> HeadDecision

    /// What becomes of the bytes of an answer that is held.
    private enum Use {
        case none
        /// They will be handed over, or thrown away: what comes of them is counted then.
        case claimed
        /// They are another owner's, or in the part file.
        case handedOver
    }

    private struct State {
        /// The answer that is held, until somebody says what is to become of it.
        var held: Answer?
        /// How the request ended, and what was collected of its body.
        var end: (outcome: TransferOutcome, body: [UInt8])?
        var use = Use.none
        var askedAt = Duration.zero
        var answeredAt = Duration.zero

        var answer: Answer? { held ?? end.map { .ended($0.outcome, body: $0.body) } }
    }

    private let state = Locked(State())
    private let pool: WorkerPool
    private let control: DownloadControl
    private let judge: Judge

    init(pool: WorkerPool, control: DownloadControl, judge: @escaping Judge) {
        self.pool = pool
        self.control = control
        self.judge = judge
    }

    /// Sends the request and blocks until there is an answer.
    ///
    /// - Parameters:
    ///   - patience: How long to wait; `nil` leaves it to the connect and stall timeouts.
    ///   - onConnect: Told of a new TCP connection.
    /// - Throws: `cancelled`; the request is revoked then. `server` where the host's Retry-After is too long.
    func send(
        _ request: TransferRequest,
        body: Transfer.Body,
        patience: Duration? = nil,
        onConnect: Transfer.OnConnect? = nil
    ) throws(DownloadError) -> Answer {
        try control.waitForHold(of: request.url)
        let connection = try control.connection(to: request.url)
        let transfer = Transfer(
            connection: connection,
            request: request,
            owner: self,
            body: body,
            onConnect: onConnect
        )
        let now = control.now
        let deadline = patience.map { now + $0 }
        control.counters.addConnections(1)
        state.withLock { $0.askedAt = now }
        pool.post(.start(transfer), connection: connection)
        while true {
            if let answer = state.withLock({ $0.answer }) { return answer }
            if control.isCancelled {
                revoke(transfer)
                throw control.stopped
            }
            if let deadline, control.now >= deadline {
                if case .revoked = revoke(transfer) { return .overdue }
                continue
            }
            control.wait(upTo: deadline.map { $0 - control.now })
        }
    }

    /// The time from the request to its answer, once that has come.
    var cost: Duration { state.withLock { $0.answeredAt - $0.askedAt } }

    /// Ends a transfer and waits until its worker has let go; of no effect where it was handed over.
    @discardableResult
    func revoke(_ transfer: Transfer) -> TransferOutcome {
        if state.withLock({ $0.end == nil && $0.use != .handedOver }) {
            pool.post(.revoke(transfer), connection: transfer.connection)
        }
        while true {
            let outcome: TransferOutcome? = state.withLock { state in
                guard state.use != .handedOver else { return .revoked }
                guard let end = state.end else { return nil }
                if state.use == .claimed { count(transfer) }
                state.use = .none
                state.held = nil
                return end.outcome
            }
            if let outcome { return outcome }
            control.wait(upTo: nil)
        }
    }

    /// Claims the bytes of an answer that is held, for the part file.
    ///
    /// - Returns: What there is of them; `nil` where they can't be had.
    func claim(_ held: Transfer) -> Probe.Held.Bytes? {
        state.withLock { state in
            guard state.held != nil, state.use == .none else { return nil }
            // It would keep the transfer, and that this.
            state.held = nil
            guard let end = state.end else {
                state.use = .claimed
                return .coming
            }
            guard case .completed = end.outcome else { return nil }
            state.use = .handedOver
            return .whole(end.body)
        }
    }

    /// Gives an answer that was claimed to another owner's transfer.
    func handOver(_ held: Transfer, to next: Transfer) {
        state.withLock { $0.use = .handedOver }
        pool.post(.handOver(held, to: next), connection: held.connection)
    }

    private func count(_ transfer: Transfer) {
        control.counters.addConnections(-1)
        guard transfer.byteCount > 0 else { return }
        control.counters.addReceived(transfer.byteCount, by: transfer.connection, isNew: false)
    }

    func decide(_ head: ResponseHead, for transfer: Transfer) -> HeadDecision {
        let now = control.now
        state.withLock { $0.answeredAt = now }
        return judge(head)
    }

    func transferIsHeld(_ transfer: Transfer, head: ResponseHead) {
        let end = transfer.promisedEnd
        state.withLock { $0.held = .held(transfer, head, end: end) }
        control.signal()
    }

    func transferDidProgress(_ transfer: Transfer) {}

    func transferDidShorten(_ transfer: Transfer, end: Int64) {}

    func transferDidEnd(_ transfer: Transfer, _ outcome: TransferOutcome) {
        control.hosts.heed(outcome, from: transfer.request.url.origin)
        // All under the lock: whoever sees the end may report what was counted, or ask for the connection again.
        state.withLock { state in
            state.end = (outcome, transfer.collected)
            guard state.use == .none else { return }
            count(transfer)
            // An empty body has nothing that anybody could claim.
            guard transfer.isCollected, transfer.byteCount > 0, let head = transfer.head else { return }
            // Where its owner has not been told: what has come to its end, or failed, was held until then.
            state.held = .held(transfer, head, end: transfer.promisedEnd)
            guard case .completed = outcome else { return }
            let askedAt = state.askedAt
            control.hosts.with(transfer.request.url.origin) { $0.connections.delivered(askedAt: askedAt, count: 1) }
            // The whole file is in memory: another download may have the connection before this one has its file.
            let cost = state.answeredAt - askedAt
            control.allotment.rest(after: .init(arrived: pool.arrivals.byteCount, requestCost: cost))
        }
        control.signal()
    }
}
