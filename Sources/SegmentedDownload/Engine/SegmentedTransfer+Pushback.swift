internal import SegmentedDownloadCore

// What the host bears: refusals while others are under way mean fewer connections, not failure.
extension SegmentedTransfer {
    /// What becomes of a connection whose request has ended, and what there is to tell.
    struct Judgement {
        /// No new request on the connection before then.
        var availableAt: Duration
        var retry: DownloadEvent.Retry?
        var detail: String?
    }

    private var hosts: HostRecords { setup.control.hosts }
    private var origin: String { setup.url.origin }

    /// Tells the scheduler what is permitted; before each event that may deal.
    func permit(_ state: inout State, now: Duration) {
        let (connections, holdUntil) = hosts.with(origin) { ($0.connections.permitted(at: now), $0.holdUntil) }
        let allotment = setup.control.allotment
        state.scheduler.permit(
            .init(
                connections: min(connections - allotment.othersCount(origin), allotment.permittedCount),
                notBefore: max(holdUntil, state.waitUntil),
                allowsThefts: !setup.pool.rateLimiter.isBinding
            )
        )
    }

    /// A request has brought its first byte.
    func delivered(askedAt: Duration, _ state: inout State) {
        let (count, tolerance) = (state.scheduler.deliveringCount, state.scheduler.answerTolerance)
        hosts.with(origin) { $0.connections.delivered(askedAt: askedAt, count: count, tolerance: tolerance) }
    }

    /// Judges a request that ended without a byte in a way that a connection too many may be refused in.
    ///
    /// - Returns: `nil` where it is judged as any other failure.
    func judgeRefusal(
        _ outcome: TransferOutcome,
        of transfer: Transfer,
        _ state: inout State,
        now: Duration
    ) -> Judgement? {
        guard let lease = transfer.lease, isRefusal(outcome, of: transfer, lease, state, now: now) else { return nil }
        let others = state.scheduler.others(than: transfer.connection)
        let askedAt = state.scheduler.requestTime(connection: transfer.connection, lease: lease) ?? now
        let (before, refusal) = hosts.with(origin) { record in
            (
                record.connections.limit,
                record.connections.refused(
                    askedAt: askedAt,
                    others: others,
                    inSilence: outcome.isRevoked,
                    now: now
                )
            )
        }
        let isForbidden = setup.isDerived && outcome.isForbidden
        if isForbidden, before > hosts.with(origin, { $0.connections.limit }), state.limitBeforeForbidden == nil {
            state.limitBeforeForbidden = before
        }
        var judgement = Judgement(availableAt: now, retry: newHold(outcome, &state, now: now))
        switch refusal {
        case .alone: return alone(outcome, &state, now: now)
        case .paused:
            judgement.detail = "\(outcome.summary), although as many were borne before: \(others.count) for a while."
        case .lowered(_, again: true) where isForbidden:
            // As many connections were served, and yet it is refused twice: the link has run out.
            forgive(&state)
            state.ending = .moved(error(of: outcome))
        case .lowered(let count, _):
            judgement.detail = "\(outcome.summary), and others are served: at most \(count) connections at once."
        }
        return judgement
    }

    private func isRefusal(
        _ outcome: TransferOutcome,
        of transfer: Transfer,
        _ lease: LeaseID,
        _ state: State,
        now: Duration
    ) -> Bool {
        guard let writer = transfer.writer, writer.received == transfer.request.range?.lowerBound else { return false }
        if outcome.isRevoked {
            return state.scheduler.wasTakenInSilence(connection: transfer.connection, lease: lease, now: now)
                && state.scheduler.others(than: transfer.connection).delivering > 0
        }
        return outcome.mayBePushback
    }

    /// So many rounds in a row a lone connection's 403 is taken for a host that still counts one that was closed: with
    /// the defaults 2 s. A derived URL has run out more likely.
    private static let lastForbiddenRound = 2

    /// Nothing else is under way. What is final may still be a server that counts a connection that was just closed:
    /// it is asked again where bytes came before.
    private func alone(_ outcome: TransferOutcome, _ state: inout State, now: Duration) -> Judgement? {
        if outcome.isRevoked { return Judgement(availableAt: now) }
        guard !outcome.isTransient else { return nil }
        let wasServed = state.scheduler.activeCount(since: .zero) > 0
        let lastRound = outcome.isForbidden && !setup.isDerived && wasServed ? Self.lastForbiddenRound : 0
        if case .retry(let time, let round) = state.retry.failed(at: now), round <= lastRound {
            state.waitUntil = time
            let reason = outcome.summary
            return Judgement(availableAt: now, retry: .init(round: round, wait: max(.zero, time - now), reason: reason))
        }
        forgive(&state)
        return nil
    }

    /// Forgets that the number of connections was blamed for what the link's end explains.
    private func forgive(_ state: inout State) {
        guard setup.isDerived, let before = state.limitBeforeForbidden else { return }
        state.limitBeforeForbidden = nil
        hosts.with(origin) { $0.connections.restore(before) }
    }

    /// A Retry-After that is to be told of: once, where many connections got it.
    private func newHold(_ outcome: TransferOutcome, _ state: inout State, now: Duration) -> DownloadEvent.Retry? {
        guard case .until(let time) = hosts.hold(origin), time > state.toldHoldEnd + .seconds(1) else { return nil }
        state.toldHoldEnd = time
        return .init(round: 0, wait: max(.zero, time - now), reason: outcome.summary)
    }

    /// Ends the transfer where the host wants to be left alone for longer than anybody waits. It may have said so to a
    /// connection too many: those that are served go on to their ends.
    ///
    /// - Parameter count: How many leases may be out all the same: that of the request whose end is judged.
    func endIfLeftAlone(_ state: inout State, underWay count: Int) {
        guard state.ending == nil, state.scheduler.busyCount <= count, !state.scheduler.ledger.isComplete,
            case .tooLong(let wait) = hosts.hold(origin)
        else { return }
        state.ending = .failed(.leftAlone(setup.url, wait))
    }
}

// MARK: - Growing back

extension SegmentedTransfer {
    /// Tries one connection more where all has gone well for long enough. Called with the lock held.
    ///
    /// - Returns: What there is to tell.
    func observeHost(_ state: inout State, now: Duration) -> [DownloadEvent] {
        let since = hosts.with(origin) { $0.connections.unchangedSince }
        return setup.control.observeHost(origin, activeCount: state.scheduler.activeCount(since: since), now: now)
    }
}

extension DownloadControl {
    /// Tries one connection more where all has gone well for long enough.
    ///
    /// - Parameter activeCount: Connections of this download that have brought bytes since their number was last changed.
    /// - Returns: What there is to tell.
    func observeHost(_ origin: String, activeCount: Int, now: Duration) -> [DownloadEvent] {
        let active = activeCount + allotment.othersCount(origin)
        let (grown, finding) = hosts.with(origin) { record in
            (record.connections.observed(active: active, now: now), record.connections.takeFinding(at: now))
        }
        var events: [DownloadEvent] = []
        if let finding { events.append(.note(Self.text(finding))) }
        if let grown { events.append(.detail("All went well for a while: trying \(grown) connections at once.")) }
        return events
    }

    /// As ``observeHost(_:activeCount:now:)``, for a download whose only connection brings bytes, and tells.
    func tellOfHost(_ origin: String) {
        for event in observeHost(origin, activeCount: 1, now: now) { emit(event) }
    }

    /// What was found out about a host and is not told yet: a short transfer ends before it has settled.
    func tellLastFinding(_ origin: String) {
        let now = now
        guard let finding = hosts.with(origin, { $0.connections.takeFinding(at: now, isLast: true) }) else { return }
        note(Self.text(finding))
    }

    private static func text(_ count: Int) -> String {
        let rest =
            count == 1
            ? "1 connection at once: going on with it." : "\(count) connections at once: going on with those."
        return "The server bears \(rest)"
    }
}

extension TransferOutcome {
    /// Whether a host may answer so to a connection too many.
    var mayBePushback: Bool {
        switch self {
        case .failed: isRefusal
        case .rejected(.captive): true
        default: isForbidden || isTransient
        }
    }

    /// Whether a host answers so to a connection too many rather than to a request that it does not like.
    var isRefusal: Bool {
        switch self {
        case .failed(let error): error.isTransient && !error.isAboutNames
        case .rejected(.status(429, _)), .rejected(.status(503, _)): true
        default: false
        }
    }

    fileprivate var isRevoked: Bool {
        if case .revoked = self { true } else { false }
    }

    fileprivate var isForbidden: Bool {
        if case .rejected(.status(403, _)) = self { true } else { false }
    }
}
