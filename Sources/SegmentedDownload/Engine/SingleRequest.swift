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

    private let answer = Locked<Answer?>(nil)
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
    /// - Parameter patience: How long to wait; `nil` leaves it to the connect and stall timeouts.
    /// - Throws: `cancelled`; the request is revoked then. `server` where the host's Retry-After is too long.
    func send(
        _ request: TransferRequest,
        body: Transfer.Body,
        patience: Duration? = nil
    ) throws(DownloadError) -> Answer {
        try control.waitForHold(of: request.url)
        let connection = try control.connection(to: request.url)
        let transfer = Transfer(connection: connection, request: request, owner: self, body: body)
        let deadline = patience.map { control.now + $0 }
        control.counters.addConnections(1)
        pool.post(.start(transfer), connection: connection)
        while true {
            if let answer = answer.withLock({ $0 }) { return answer }
            if control.isCancelled {
                revoke(transfer)
                throw control.stopped
            }
            if let deadline, control.now >= deadline {
                if case .ended(.revoked, _) = revoke(transfer) { return .overdue }
                continue
            }
            control.wait(upTo: deadline.map { $0 - control.now })
        }
    }

    /// Ends a transfer and waits until its worker has let go.
    @discardableResult
    func revoke(_ transfer: Transfer) -> Answer? {
        // Of no effect where it has ended, or is another's by now.
        pool.post(.revoke(transfer), connection: transfer.connection)
        while true {
            let answer = answer.withLock { $0 }
            if case .ended = answer { return answer }
            control.wait(upTo: nil)
        }
    }

    /// Whether an answer is held whose bytes can still be had.
    var isHolding: Bool {
        if case .held = answer.withLock({ $0 }) { true } else { false }
    }

    /// Gives an answer that is held to another owner's transfer.
    func handOver(_ held: Transfer, to next: Transfer) {
        answer.withLock { $0 = .ended(.revoked, body: []) }
        pool.post(.handOver(held, to: next), connection: held.connection)
    }

    func decide(_ head: ResponseHead, for transfer: Transfer) -> HeadDecision {
        judge(head)
    }

    func transferDidPause(_ transfer: Transfer, head: ResponseHead) {
        let end = transfer.promisedEnd
        answer.withLock { $0 = .held(transfer, head, end: end) }
        control.signal()
    }

    func transferDidProgress(_ transfer: Transfer) {}

    func transferDidShorten(_ transfer: Transfer, end: Int64) {}

    func transferDidEnd(_ transfer: Transfer, _ outcome: TransferOutcome) {
        control.counters.addConnections(-1)
        if transfer.byteCount > 0 {
            control.counters.addReceived(transfer.byteCount, by: transfer.connection, isNew: false)
        }
        control.hosts.heed(outcome, from: transfer.request.url.origin)
        answer.withLock { $0 = .ended(outcome, body: transfer.collected) }
        control.signal()
    }
}
