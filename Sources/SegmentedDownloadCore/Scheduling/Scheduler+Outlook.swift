/// What is known of the connections' rates.
extension Scheduler {
    /// A request costs at least this many seconds in the scheduler's eyes: on a link so fast that it costs less,
    /// cutting a connection (it is closed, since unread bytes stand in it) costs more than what it saves; and what is
    /// known of a lease is up to 50 ms old.
    private static let leastRequestCost = 0.05
    /// Ten packets, in bytes.
    private static let firstWindow = 14_600.0
    private static let silentAfterRequestCosts = 8.0
    /// Workers report so often, in seconds.
    private static let reportInterval = 0.05

    /// Seconds from a request to its first byte on a connection without a lease.
    func requestCost(of connection: Connection) -> Double {
        max(connection.isWarm ? warmCost : coldCost + slowStart(to: connection.rate.last ?? 0), Self.leastRequestCost)
    }

    /// Seconds that a new TCP connection takes longer than a standing one until it has brought as much: its window begins at ten
    /// packets and doubles with each round trip, and the last doubling alone brings half of what it missed.
    private func slowStart(to rate: Double) -> Double {
        let roundTrip = coldCost / 2
        var seconds = 0.0
        var window = 2 * Self.firstWindow
        while window < rate * roundTrip {
            seconds += roundTrip
            window *= 2
        }
        return seconds
    }

    /// A lease without a byte for so many seconds brings none: a lost SYN is sent again after one.
    func answerPatience(_ lease: Lease? = nil) -> Double {
        max(Self.silentAfterRequestCosts * coldCost + 1, 2 * (lease?.requestCost ?? 0), lateness)
    }

    /// What has not been answered for so many seconds is only late, not silent: hosts that fetch ranges from elsewhere take
    /// longer for one than for another, and who asks anew may wait as long.
    var lateness: Double { 4 * longestAnswer }

    /// Whether there is time for what a connection on trial may strand: others would have to fetch it before the end.
    func allowsTrial(_ outlook: Outlook) -> Bool { outlook.end > 2 * (answerPatience() + Self.trialSeconds) }

    /// Bytes a second that a connection brings, or has brought before; `nil` where nothing can be said. Its first
    /// window says nothing: a worker drains one connection at a time, so that on a fast link its others look slow
    /// (thefts for that reason cost 2/3 of the rate on loopback).
    func rate(of connection: Connection, now: Double) -> Double? {
        guard let lease = connection.lease else { return connection.rate.last }
        guard let firstByteAt = lease.firstByteAt else {
            return now - lease.requestedAt > answerPatience(lease) ? 0 : connection.rate.last
        }
        guard now - firstByteAt >= RateEstimate.window else { return connection.rate.last }
        return connection.rate.bytesPerSecond(now: now)
    }

    /// The mean of the rates that are measured at present; `nil` where there is none.
    func usualRate(now: Double) -> Double? {
        var (sum, count) = (0.0, 0.0)
        for connection in connections where connection.lease?.firstByteAt != nil {
            guard let rate = rate(of: connection, now: now), rate > 0 else { continue }
            sum += rate
            count += 1
        }
        if count == 0 {
            for rate in connections.lazy.compactMap(\.rate.last) {
                sum += rate
                count += 1
            }
        }
        return count > 0 ? sum / count : nil
    }

    /// - Parameter candidates: Connections without a lease that may get one.
    /// - Returns: `nil` while no rate is known.
    func outlook(for candidates: [Int], now: Double) -> Outlook? {
        guard let usual = usualRate(now: now) else { return nil }
        var shares = connections.map { share(of: $0, usual: usual, now: now) }
        // Those that wait for what another gives up will fetch, too.
        let waiting = connections.indices.filter { connections[$0].isBeneficiary && connections[$0].lease == nil }
        for index in candidates + waiting where !connections[index].isSuspect {
            let rate = rate(of: connections[index], now: now) ?? usual
            let cost = requestCost(of: connections[index])
            shares[index] = Outlook.Share(rate: max(rate, 1), remaining: 0, begin: cost, requestCost: cost)
        }
        let outstanding = Double(plan.length - heldByteCount)
        return Outlook(shares, outstanding: outstanding, usualRate: usual)
    }

    private func share(of connection: Connection, usual: Double, now: Double) -> Outlook.Share? {
        guard let lease = connection.lease, lease.remaining > 0 else { return nil }
        let rate = rate(of: connection, now: now)
        let silence = now - lease.lastByteAt
        // What is silent for longer than a request takes goes on as long again; a new connection may have to shake hands
        // for longer than others did.
        let patience = lease.firstByteAt == nil && !connection.isWarm ? 4.0 : 2
        let isSilent =
            silence > patience * max(lease.requestCost, RateEstimate.window)
            && (lease.firstByteAt != nil || silence > lateness)
        let begin = isSilent ? silence : lease.firstByteAt == nil ? max(0, lease.requestCost - silence) : 0
        // Of one that failed before nothing is expected until it is measured.
        let expected = max(rate ?? (connection.isSuspect ? 0 : usual), 1)
        // What came since the last report.
        let unreported = lease.firstByteAt == nil || isSilent ? 0 : expected * min(silence, Self.reportInterval)
        return Outlook.Share(
            rate: expected,
            remaining: max(1, Double(lease.remaining) - unreported),
            begin: begin,
            requestCost: max(lease.isShortened ? coldCost + slowStart(to: expected) : warmCost, Self.leastRequestCost),
            isPrey: lease.pending == nil && (rate != nil || isSilent)
        )
    }
}
