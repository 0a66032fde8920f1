/// Who is given what, within what the host permits.
extension Scheduler {
    /// Gives the connections that are free something to do, where there is something that pays and the host permits.
    mutating func dispatch(now: Double) -> [Action] {
        guard mayAsk(now: now) else { return [] }
        let candidates = candidates(now: now)
        guard !candidates.isEmpty, !pool.isEmpty || isAnythingLeft(now: now) else { return [] }
        var actions: [Action] = []
        // One for all: what they take from each other moves no byte in time.
        var outlook = outlook(for: candidates, now: now)
        for (number, index) in candidates.enumerated() {
            if permission.allowsThefts, let present = outlook, let theft = frontTheft(for: index, in: present) {
                outlook?.shares[theft.owner] = nil
                actions.append(steal(theft, for: index))
            } else if !pool.isEmpty {
                if let outlook, !mayShare(index, outlook) { continue }
                let sharers = candidates.count - number
                let share = share(for: index, among: sharers, outlook)
                if let action = takeShare(share, for: index, now: now) { actions.append(action) }
            } else if permission.allowsThefts, let present = outlook, let theft = bestTheft(for: index, in: present) {
                outlook?.shares[theft.owner] = nil
                actions.append(steal(theft, for: index))
            }
        }
        return actions
    }

    /// Whether some lease lasts for longer than a request costs: at the end hundreds of connections run dry, and each
    /// would look at all others.
    private func isAnythingLeft(now: Double) -> Bool {
        connections.contains { connection in
            guard let lease = connection.lease, lease.remaining > 0 else { return false }
            guard lease.firstByteAt != nil, let rate = rate(of: connection, now: now) else { return true }
            return Double(lease.remaining) > rate * warmCost || now - lease.lastByteAt > RateEstimate.window
        }
    }

    /// The free connections, as many as are permitted: those that stand first, those on trial last.
    private func candidates(now: Double) -> [Int] {
        let count = permission.connections - engagedCount
        guard count > 0 else { return [] }
        let free = connections.indices.filter { isFree($0, now: now) }
        let ranks = free.sorted { rank($0) < rank($1) }
        return Array(ranks.prefix(count))
    }

    private func rank(_ index: Int) -> Int {
        let connection = connections[index]
        return connection.isWarm ? 0 : connection.isSuspect ? 2 : 1
    }

    /// Whether a connection gets any of the pool: not where others would wait for it at the end, as long as someone
    /// fetches of whom something is expected.
    private func mayShare(_ index: Int, _ outlook: Outlook) -> Bool {
        let isDoubtful =
            connections[index].isSuspect || outlook.shares[index]?.rate ?? 0 < outlook.usualRate * Self.farBelow
        let isUseful = !isDoubtful || allowsTrial(outlook)
        return isUseful || !connections.contains { $0.lease != nil && !$0.isSuspect }
    }

    func mayAsk(now: Double) -> Bool { !isStopped && permission.notBefore.inSeconds <= now }

    func isFree(_ index: Int, now: Double) -> Bool {
        let connection = connections[index]
        return connection.isLent && connection.lease == nil && !connection.isBeneficiary
            && connection.availableAt <= now
    }

    /// Leases the front of what is missing: so many bytes, within one range, up to a segment boundary.
    private mutating func takeShare(_ share: Int64, for index: Int, now: Double) -> Action? {
        guard let first = pool.first else { return nil }
        let size = min(share, requestSize)
        let limit = size >= first.upperBound - first.lowerBound ? first.upperBound : first.lowerBound + size
        // A range that begins inside a segment ends on a boundary all the same: a little earlier, not a little later.
        let end = limit == first.upperBound ? limit : limit - limit % plan.segmentSize
        return lease(pool.takeFirst(upTo: end), to: index, now: now)
    }

    /// How much of the pool a connection takes: what it can bring until all end together. While rates are unknown, so
    /// much that all permitted connections get equal shares of everything that is to be fetched, and no more than
    /// leaves the other `sharers` theirs.
    private func share(for index: Int, among sharers: Int, _ outlook: Outlook?) -> Int64 {
        guard let outlook else {
            let outstanding = plan.length - heldByteCount
            let even = min(share(of: outstanding, permission.connections), share(of: pool.byteCount, sharers))
            return isOrdered ? min(even, orderedSize(nil)) : even
        }
        let allotment = plan.wholeSegments(allotment(of: index, outlook))
        guard isOrdered else { return allotment }
        // In the same time as the others, or a slow one would hold up the contiguous bytes.
        let rate = outlook.shares[index]?.rate ?? outlook.usualRate
        let size = Double(orderedSize(outlook)) * min(1, rate / outlook.usualRate)
        return min(allotment, plan.wholeSegments(Int64(size)))
    }

    /// The bytes that a connection can bring until all end together, or that it gets on trial.
    private func allotment(of index: Int, _ outlook: Outlook) -> Int64 {
        let share = outlook.shares[index]
        let bytes =
            share.map { $0.rate * max(0, outlook.end - $0.requestCost) } ?? outlook.usualRate * Self.trialSeconds
        return Int64(min(bytes, 1e15))
    }

    /// How much a connection of the usual rate takes where the file is wanted in order: so much that a round trip
    /// between two leases costs a twentieth, and no less than 4 MiB.
    func orderedSize(_ outlook: Outlook?) -> Int64 {
        let bytes = Self.orderedRequestCosts * warmCost * (outlook?.usualRate ?? 0)
        return plan.wholeSegments(max(Self.leastOrderedSize, Int64(min(bytes, 1e15))))
    }

    private static let orderedRequestCosts = 20.0
    private static let leastOrderedSize = 4 * MiB

    /// The part of `byteCount` that falls to one of so many, in whole segments, at least one.
    private func share(of byteCount: Int64, _ count: Int) -> Int64 {
        plan.wholeSegments(byteCount / Int64(count) + (byteCount % Int64(count) > 0 ? 1 : 0))
    }

    /// - Parameter requestCost: The seconds that its first byte may take at least.
    mutating func lease(_ range: Range<Int64>, to index: Int, now: Double, requestCost: Double = 0) -> Action {
        let id = LeaseID(rawValue: nextLease)
        nextLease += 1
        connections[index].lease = Lease(
            id: id,
            start: range.lowerBound,
            end: range.upperBound,
            received: range.lowerBound,
            written: range.lowerBound,
            requestedAt: now,
            requestCost: max(requestCost, self.requestCost(of: connections[index])),
            lastByteAt: now
        )
        return .fetch(connection: index, lease: id, range: range)
    }

    /// Gives freed bytes to the connection that waits for them, if one does, and the others what there is.
    mutating func deal(_ freed: Range<Int64>, of owner: Lease, for pending: Lease.Pending, now: Double) -> [Action] {
        if let beneficiary = pending.beneficiary { connections[beneficiary].isBeneficiary = false }
        guard let beneficiary = pending.beneficiary, !freed.isEmpty, mayAsk(now: now),
            engagedCount < permission.connections, isFree(beneficiary, now: now)
        else {
            pool.insert(freed)
            return dispatch(now: now)
        }
        let all = freed.upperBound - freed.lowerBound
        let wanted = pending.isTakeover ? limit(for: beneficiary, of: all, now: now) : all
        let size = min(wanted, requestSize)
        let end = min(freed.upperBound, plan.boundary(atOrAfter: freed.lowerBound + size))
        pool.insert(end..<freed.upperBound)
        // Taken before an answer came: the newcomer's may take longer, or they would take it from each other for ever
        // where every answer takes long.
        let waited = pending.isTakeover && owner.firstByteAt == nil ? now - owner.requestedAt : 0
        let action = lease(freed.lowerBound..<end, to: beneficiary, now: now, requestCost: 2 * waited)
        return [action] + dispatch(now: now)
    }

    /// The most that a connection gets of a lease that was taken whole: no crumbs are left.
    private func limit(for beneficiary: Int, of byteCount: Int64, now: Double) -> Int64 {
        guard let outlook = outlook(for: [beneficiary], now: now) else { return byteCount }
        let allotment = allotment(of: beneficiary, outlook)
        return byteCount < 2 * allotment ? byteCount : max(allotment, 1)
    }

    private mutating func steal(_ theft: Theft, for index: Int) -> Action {
        connections[index].isBeneficiary = true
        guard let lease = connections[theft.owner].lease else { preconditionFailure("An owner has a lease") }
        switch theft.kind {
        case .farEnd(let end):
            connections[theft.owner].lease?.pending = .shorten(beneficiary: index)
            return .shorten(connection: theft.owner, lease: lease.id, end: end)
        case .everything:
            connections[theft.owner].lease?.pending = .revoke(beneficiary: index)
            return .revoke(connection: theft.owner, lease: lease.id)
        }
    }
}
