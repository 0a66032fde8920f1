/// Which lease a connection that ran dry should take from, and how much.
extension Scheduler {
    struct Theft: Equatable {
        enum Kind: Equatable {
            /// The owner keeps what lies before this segment boundary.
            case farEnd(Int64)
            /// The owner is closed, and the newcomer goes on from its offset.
            case everything
        }

        let owner: Int
        let kind: Kind
    }

    /// A request costs at least this many seconds in the scheduler's eyes: on a link so fast that it costs less,
    /// cutting a connection (it is closed, since unread bytes stand in it) costs more than what it saves.
    private static let leastRequestCost = 0.01
    /// A lease without a byte after this many request costs counts as silent, and may be taken whole.
    private static let silentAfterRequestCosts = 8.0

    /// The lease that would finish last, from which to take.
    struct Prey {
        let owner: Int
        let lease: Lease
        /// Bytes a second that it brings.
        let rate: Double
        /// Bytes a second that a connection of which nothing is known may bring.
        let newcomerRate: Double
    }

    /// The lease that would finish last; `nil` where there is none of which anything can be said.
    func prey(now: Double) -> Prey? {
        var last: (owner: Int, lease: Lease, rate: Double, finish: Double)?
        for index in connections.indices {
            guard let lease = connections[index].lease, lease.pending == nil, lease.remaining > 0,
                let rate = rate(of: lease, now: now)
            else { continue }
            let finish = Double(lease.remaining) / rate
            if finish > last?.finish ?? 0 { last = (index, lease, rate, finish) }
        }
        return last.map { last in
            Prey(owner: last.owner, lease: last.lease, rate: last.rate, newcomerRate: meanRate(now: now) ?? last.rate)
        }
    }

    /// The theft that ends the download soonest; `nil` where none saves more than a request costs.
    func bestTheft(for newcomer: Int, from prey: Prey) -> Theft? {
        let newRate = connections[newcomer].lastRate ?? prey.newcomerRate
        return theft(from: prey.lease, of: prey.owner, rate: prey.rate, newRate: max(newRate, 1))
    }

    /// Bytes a second that a lease brings; `nil` while nothing can be said. The first window says nothing: a worker
    /// drains one connection at a time, so that on a fast link its others look slow (thefts for that reason cost
    /// 2/3 of the rate on loopback).
    private func rate(of lease: Lease, now: Double) -> Double? {
        guard let firstByteAt = lease.firstByteAt else {
            let patience = Self.silentAfterRequestCosts * max(requestCost, Self.leastRequestCost) + 1
            return now - lease.requestedAt > patience ? 1 : nil
        }
        guard now - firstByteAt >= RateEstimate.window else { return nil }
        return lease.rate.bytesPerSecond(now: now).map { max($0, 1) }
    }

    private func meanRate(now: Double) -> Double? {
        let rates = connections.compactMap { connection -> Double? in
            guard let lease = connection.lease, lease.firstByteAt != nil else { return connection.lastRate }
            return lease.rate.bytesPerSecond(now: now)
        }
        return rates.isEmpty ? nil : rates.reduce(0, +) / Double(rates.count)
    }

    /// With R bytes left, the owner at rate v, the newcomer at rate t after a request that costs c seconds, both finish
    /// together where the owner keeps x = v (R + c t) / (v + t).
    private func theft(from lease: Lease, of owner: Int, rate: Double, newRate: Double) -> Theft? {
        let cost = max(requestCost, Self.leastRequestCost)
        let remaining = Double(lease.remaining)
        let present = remaining / rate
        let kept = rate * (remaining + cost * newRate) / (rate + newRate)
        let whole = cost + remaining / newRate

        var best: (kind: Theft.Kind, finish: Double)?
        if kept < remaining {
            let cut = plan.boundary(atOrAfter: lease.received + Int64(kept))
            if cut > lease.received, cut < lease.end {
                let ownerFinish = Double(cut - lease.received) / rate
                let newcomerFinish = cost + Double(lease.end - cut) / newRate
                best = (.farEnd(cut), max(ownerFinish, newcomerFinish))
            }
        }
        // Taking everything closes a connection that works, so it must be clearly better, by half of its own time.
        if whole * 1.5 < best?.finish ?? present { best = (.everything, whole) }
        guard let best, present - best.finish > cost else { return nil }
        return Theft(owner: owner, kind: best.kind)
    }
}
