internal import SegmentedDownloadLocking
internal import SegmentedDownloadCore

/// The transfer of a file in segments over several connections: binds the scheduler to the workers and the journal.
///
/// All decisions are made under one lock. Commands are posted under it too, so that a worker gets them in the order in
/// which they were decided; posting only appends to an inbox.
final class SegmentedTransfer: TransferOwner {
    /// What stays the same during the transfer.
    struct Setup: Sendable {
        let pool: WorkerPool
        let control: DownloadControl
        let scope: OriginScope
        /// Where the redirects led.
        let url: HTTPURL
        let resource: Resource
        let options: SessionOptions
        let requestSize: Int64?
        let requestCost: Duration
        /// Told of the contiguous bytes.
        let digest: DigestFollower?

        /// Whether the URL is one that a redirect led to, and may have run out.
        var isDerived: Bool { url != scope.url }

        /// The sentence for a transfer that failed, but for those of the part file.
        func error(of outcome: TransferOutcome) -> DownloadError {
            scope.error(of: outcome, at: url)
        }
    }

    /// What changes; behind one lock.
    struct State {
        var scheduler: Scheduler
        var retry: RetryPolicy
        /// By connection: what fetches the connection's lease.
        var transfers: [Transfer?]
        /// Why it ends before it is complete.
        var ending: TransferEnding?
        var sendsIfRange = true
        /// Answers in a row, and in all, that were no part of the file as asked for.
        var misplacedInARow = 0
        var misplacedCount = 0
        /// No request before then: nothing was under way when the last one failed.
        var waitUntil = Duration.zero
        /// The end of the host's Retry-After that was told of.
        var toldHoldEnd = Duration.zero
        /// How many connections `-j auto` was last said to use.
        var toldTunedCount: Int?
        /// How many connections the host was permitted before it was lowered for answers of 403 from a derived URL.
        var limitBeforeForbidden: Int?
    }

    /// How often the scheduler looks for a steal that has become worthwhile.
    private static let tickInterval = Duration.milliseconds(100)

    let setup: Setup
    let partFile: PartFile
    let keeper: JournalKeeper
    /// The keeper's closures need it too, before `self` is there.
    let state: Locked<State>

    /// - Parameters:
    ///   - ledger: What is finished already.
    ///   - journal: `nil` where the file fits one segment.
    init(_ setup: Setup, ledger: SegmentLedger, partFile: PartFile, journal: Journal?, syncs: Bool) {
        self.setup = setup
        self.partFile = partFile
        let retry = RetryPolicy(setup.options, answered: true)
        let configuration = Scheduler.Configuration(
            jobs: setup.pool.jobs,
            requestSize: setup.requestSize,
            requestCost: setup.requestCost,
            isOrdered: setup.digest != nil
        )
        var scheduler = Scheduler(ledger: ledger, configuration: configuration)
        scheduler.lend(setup.control.allotment.held)
        let state = Locked(
            State(
                scheduler: scheduler,
                retry: retry,
                transfers: Array(repeating: nil, count: setup.pool.jobs)
            )
        )
        self.state = state
        let (pool, control, digest) = (setup.pool, setup.control, setup.digest)
        keeper = JournalKeeper(
            partFile: partFile,
            journal: journal,
            syncs: syncs,
            policy: setup.options.keeperPolicy,
            takeFinished: { state.withLock { $0.scheduler.takeFreshlyFinished() } },
            readByteCount: { digest?.hashedByteCount },
            onRoom: { pool.resumeWriting() },
            onFailure: { error in
                state.withLock { $0.ending = $0.ending ?? .failed(error) }
                control.signal()
            }
        )
    }

    /// Fetches what is missing. Blocks the download's queue until every worker has let go of the part file, and the
    /// journal says what is finished.
    ///
    /// - Parameter held: The probe's answer, claimed, whose bytes are used where they are missing.
    func run(_ held: Probe.Held?) -> TransferEnding {
        keeper.start(expecting: setup.resource.length)
        begin(held)
        var isOver = step()
        // The first requests are out, and have what they need.
        setup.control.preconnections.close()
        while !isOver {
            setup.control.wait(upTo: waitLimit)
            isOver = step()
        }
        setup.control.allotment.rest()
        let ending = state.withLock { $0.ending }
        if ending == nil {
            setup.control.tellLastFinding(setup.url.origin)
            setup.control.enter(.syncing)
        }
        do throws(DownloadError) {
            try keeper.finish()
        } catch {
            return .failed(error)
        }
        return ending ?? .complete(length: ledger.plan.length)
    }

    /// What is finished.
    var ledger: SegmentLedger { state.withLock { $0.scheduler.ledger } }

    /// - Returns: Whether it is over.
    private func step() -> Bool {
        let isCancelled = setup.control.isCancelled
        let now = setup.control.now
        let (isQuiet, frontier, events) = state.withLock { state in
            var events: [DownloadEvent] = []
            if isCancelled, state.ending == nil, !state.scheduler.ledger.isComplete {
                state.ending = .failed(setup.control.stopped)
            }
            endIfLeftAlone(&state, underWay: 0)
            if state.ending != nil {
                perform(state.scheduler.stop(), &state)
            } else {
                events = observeHost(&state, now: now)
                permit(&state, now: now)
                deal(&state, now: now)
                if let count = setup.control.allotment.tunedCount, count != state.toldTunedCount {
                    state.toldTunedCount = count
                    events.append(.detail("-j auto: \(count) connections at once from here on."))
                }
            }
            return (state.scheduler.isQuiet, state.scheduler.ledger.contiguousByteCount, events)
        }
        setup.digest?.advance(to: frontier)
        for event in events { setup.control.emit(event) }
        return isQuiet
    }

    /// Deals what can be dealt, and settles with the session's other downloads who has which connections. Called with the
    /// lock held.
    private func deal(_ state: inout State, now: Duration) {
        let allotment = setup.control.allotment
        var held = allotment.held
        while true {
            state.scheduler.lend(held)
            perform(state.scheduler.tick(now: now), &state)
            perform(state.scheduler.retreat(to: allotment.permittedCount, now: now), &state)
            let idle = state.scheduler.idleConnections(now: now)
            let need = ConnectionAllotment.Need(
                origin: setup.url.origin,
                idle: idle,
                wanted: held.count - idle.count + state.scheduler.wantedCount(now: now),
                remaining: state.scheduler.plan.length - state.scheduler.heldByteCount,
                arrived: setup.pool.arrivals.byteCount,
                requestCost: .seconds(state.scheduler.coldCost)
            )
            let next = allotment.exchange(need)
            // Of what is held now, nothing is new: nothing more can be dealt.
            guard !Set(next).subtracting(held).subtracting(idle).isEmpty else { return state.scheduler.lend(next) }
            held = next
        }
    }

    private var waitLimit: Duration {
        let now = setup.control.now
        let next = state.withLock { $0.scheduler.nextAvailability(now: now) }
        return min(Self.tickInterval, next.map { max($0 - now, .milliseconds(1)) } ?? Self.tickInterval)
    }

    private func begin(_ held: Probe.Held?) {
        guard let held else { return }
        let used: (transfer: Transfer, end: Int64)? = state.withLock { state in
            guard let end = held.end,
                let lease = state.scheduler.adopt(
                    connection: held.transfer.connection,
                    upTo: end,
                    now: setup.control.now
                )
            else { return nil }
            let writer = RangeWriter(file: partFile, keeper: keeper, range: 0..<end)
            let next = held.transfer.handedOver(lease: lease, to: self, body: .file(writer), promisedEnd: end)
            state.transfers[next.connection] = next
            return (next, end)
        }
        guard let used else { return held.discard() }
        // Nothing else is under way yet that could lead to a decision about it meanwhile.
        tellOpened(used.transfer, 0..<used.end)
        held.handOver(to: used.transfer)
    }

    /// Turns the scheduler's actions into commands. Called with the lock held.
    func perform(_ actions: [Scheduler.Action], _ state: inout State) {
        for action in actions {
            switch action {
            case .fetch(let connection, let lease, let range):
                let transfer = transfer(connection, lease, range, sendsIfRange: state.sendsIfRange)
                if let socket = setup.control.preconnections.take(for: connection) {
                    transfer.sockets.ready = socket
                    state.scheduler.connected(connection: connection, lease: lease)
                }
                state.transfers[connection] = transfer
                setup.control.counters.addConnections(1)
                setup.pool.post(.start(transfer), connection: connection)
            case .shorten(let connection, let lease, let end):
                guard let transfer = state.transfers[connection], transfer.lease == lease else { continue }
                setup.pool.post(.shorten(transfer, end: end), connection: connection)
            case .revoke(let connection, let lease):
                guard let transfer = state.transfers[connection], transfer.lease == lease else { continue }
                setup.pool.post(.revoke(transfer), connection: connection)
            }
        }
    }

    private func transfer(_ connection: Int, _ lease: LeaseID, _ range: Range<Int64>, sendsIfRange: Bool) -> Transfer {
        let ifRange = sendsIfRange ? setup.resource.validators.ifRangeValue : nil
        return Transfer(
            connection: connection,
            request: setup.scope.request(.get, setup.url, range: range, ifRange: ifRange),
            lease: lease,
            owner: self,
            body: .file(RangeWriter(file: partFile, keeper: keeper, range: range))
        )
    }
}
