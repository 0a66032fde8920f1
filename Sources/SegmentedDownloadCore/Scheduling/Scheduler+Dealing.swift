/// Who is given what, within what the host permits.
extension Scheduler {
    /// Gives the connections that are free something to do, where there is something that pays and the host permits.
    mutating func dispatch(now: Double) -> [Action] {
        guard mayAsk(now: now) else { return [] }
        var actions: [Action] = []
        // Connections that stand come first.
        let free = connections.indices.filter { isFree($0, now: now) }
        var candidates = free.filter { connections[$0].isWarm } + free.filter { !connections[$0].isWarm }
        candidates = Array(candidates.prefix(max(0, permission.connections - engagedCount)))
        // Looked for once for all that find nothing worth taking: 512 connections would otherwise look 512 times at 512.
        var prey: Prey??
        for (number, index) in candidates.enumerated() {
            if !pool.isEmpty {
                let sharers = candidates.count - number
                if let action = takeShare(for: index, among: sharers, now: now) { actions.append(action) }
                continue
            }
            guard permission.allowsThefts else { break }
            let current = prey ?? self.prey(now: now)
            prey = .some(current)
            guard let current, let action = steal(for: index, from: current) else { continue }
            actions.append(action)
            prey = nil
        }
        return actions
    }

    func mayAsk(now: Double) -> Bool { !isStopped && permission.notBefore.inSeconds <= now }

    func isFree(_ index: Int, now: Double) -> Bool {
        let connection = connections[index]
        return connection.isLent && connection.lease == nil && !connection.isBeneficiary
            && connection.availableAt <= now
    }

    /// Leases the front of what is missing: so much that all permitted connections get equal shares of everything that
    /// is to be fetched, and no more than leaves the other `sharers` theirs; within one range, up to a segment boundary.
    private mutating func takeShare(for index: Int, among sharers: Int, now: Double) -> Action? {
        guard let first = pool.first else { return nil }
        let outstanding = plan.length - heldByteCount
        let share = min(share(of: outstanding, permission.connections), share(of: pool.byteCount, sharers))
        let size = min(share, requestSize, isOrdered ? orderedSize(for: index) : .max)
        let limit = size >= first.upperBound - first.lowerBound ? first.upperBound : first.lowerBound + size
        // A range that begins inside a segment ends on a boundary all the same: a little earlier, not a little later.
        let end = limit == first.upperBound ? limit : limit - limit % plan.segmentSize
        return lease(pool.takeFirst(upTo: end), to: index, now: now)
    }

    /// How much a lease takes where the file is wanted in order: so much that a round trip between two costs a
    /// twentieth, and no less than 4 MiB.
    private func orderedSize(for index: Int) -> Int64 {
        let bytes = Self.orderedRequestCosts * requestCost * (connections[index].lastRate ?? 0)
        return plan.wholeSegments(max(Self.leastOrderedSize, Int64(min(bytes, 1e15))))
    }

    private static let orderedRequestCosts = 20.0
    private static let leastOrderedSize = 4 * MiB

    /// The part of `byteCount` that falls to one of so many, in whole segments, at least one.
    private func share(of byteCount: Int64, _ count: Int) -> Int64 {
        plan.wholeSegments(byteCount / Int64(count) + (byteCount % Int64(count) > 0 ? 1 : 0))
    }

    mutating func lease(_ range: Range<Int64>, to index: Int, now: Double) -> Action {
        let id = LeaseID(rawValue: nextLease)
        nextLease += 1
        connections[index].lease = Lease(
            id: id,
            end: range.upperBound,
            received: range.lowerBound,
            written: range.lowerBound,
            requestedAt: now,
            rate: RateEstimate(now: now, previous: connections[index].lastRate)
        )
        return .fetch(connection: index, lease: id, range: range)
    }

    /// Gives freed bytes to the connection that waits for them, if one does, and the others what there is.
    mutating func deal(_ freed: Range<Int64>, to beneficiary: Int?, now: Double) -> [Action] {
        if let beneficiary { connections[beneficiary].isBeneficiary = false }
        guard let beneficiary, !freed.isEmpty, mayAsk(now: now), engagedCount < permission.connections,
            isFree(beneficiary, now: now)
        else {
            pool.insert(freed)
            return dispatch(now: now)
        }
        let size = freed.upperBound - freed.lowerBound
        let end = size <= requestSize ? freed.upperBound : plan.boundary(atOrAfter: freed.lowerBound + requestSize)
        pool.insert(end..<freed.upperBound)
        return [lease(freed.lowerBound..<end, to: beneficiary, now: now)] + dispatch(now: now)
    }

    private mutating func steal(for index: Int, from prey: Prey) -> Action? {
        guard let theft = bestTheft(for: index, from: prey), let lease = connections[theft.owner].lease else {
            return nil
        }
        connections[index].isBeneficiary = true
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
