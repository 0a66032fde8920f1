/// Which lease a connection that ran dry should take from, and how much.
extension Scheduler {
    struct Theft: Equatable {
        enum Kind: Equatable {
            /// The owner keeps what lies before this offset.
            case farEnd(Int64)
            /// The owner is closed, and the newcomer goes on from its offset.
            case everything
        }

        let owner: Int
        let kind: Kind
    }

    /// A connection on trial takes what others bring in so many seconds.
    static let trialSeconds = 1.0
    /// Cuts lie at multiples of this, or of a segment where that is smaller: whole segments of a slow owner last for
    /// seconds.
    private static let cutSize = 64 * KiB

    /// The theft that ends the download soonest; `nil` where none saves more than a request costs.
    ///
    /// The newcomer takes from the lease that would end last what that can't bring until all end together, and no more
    /// than it can bring itself until then: whoever runs dry next finds the rest, and nobody asks twice.
    func bestTheft(for newcomer: Int, in outlook: Outlook) -> Theft? {
        guard !connections[newcomer].isSuspect || allowsTrial(outlook), let owner = outlook.last else { return nil }
        return theft(from: owner, by: newcomer, in: outlook, end: outlook.end)
    }

    /// Where the file is wanted in order, the lease that holds up all others is shared before they run too far ahead:
    /// so that both end together.
    func frontTheft(for newcomer: Int, in outlook: Outlook) -> Theft? {
        guard isOrdered, !connections[newcomer].isSuspect, let owner = frontOwner, let lease = connections[owner].lease,
            let share = outlook.shares[owner], share.isPrey, let next = pool.first?.lowerBound,
            next - lease.received > 2 * Int64(connections.count) * orderedSize(outlook)
        else { return nil }
        let rate = outlook.shares[newcomer]?.rate ?? outlook.usualRate
        let cost = requestCost(of: connections[newcomer])
        let end = (share.remaining + share.rate * share.begin + rate * cost) / (share.rate + rate)
        return theft(from: owner, by: newcomer, in: outlook, end: end)
    }

    /// The connection whose lease is nearest to the start of the file.
    private var frontOwner: Int? {
        connections.indices.filter { connections[$0].lease != nil }
            .min { connections[$0].lease?.received ?? 0 < connections[$1].lease?.received ?? 0 }
    }

    /// - Parameter end: Seconds from now until which both bring what they can.
    private func theft(from owner: Int, by newcomer: Int, in outlook: Outlook, end: Double) -> Theft? {
        guard let share = outlook.shares[owner], let lease = connections[owner].lease else { return nil }
        let isSuspect = connections[newcomer].isSuspect
        let cost = requestCost(of: connections[newcomer])
        let rate = isSuspect ? outlook.usualRate : outlook.shares[newcomer]?.rate ?? outlook.usualRate
        // A trial is worth while whatever its connection may bring: nobody counts on it.
        let time = isSuspect ? Self.trialSeconds : end - cost
        let end = isSuspect ? 0 : end
        let surplus = share.remaining - share.rate * max(0, end - share.begin)
        let taken = max(0, min(surplus, rate * time))
        let whole = cost + share.remaining / rate

        // What the owner then still can't bring in time is for those who run dry next.
        var best: (kind: Theft.Kind, finish: Double, ownerFinish: Double)?
        let cut = boundary(nearest: lease.end - Int64(taken))
        let received = lease.end - Int64(share.remaining)
        if cut > received, cut < lease.end {
            let ownerFinish = share.begin + Double(cut - received) / share.rate
            let newcomerFinish = cost + Double(lease.end - cut) / rate
            best = (.farEnd(cut), max(newcomerFinish, isSuspect ? ownerFinish : min(ownerFinish, end)), ownerFinish)
        }
        // Taking everything closes a connection that works, so it must be clearly better, by half of its own time.
        if whole * 1.5 < best?.ownerFinish ?? share.finish { best = (.everything, whole, 0) }
        guard let best, share.finish - best.finish > cost else { return nil }
        return Theft(owner: owner, kind: best.kind)
    }

    private func boundary(nearest offset: Int64) -> Int64 {
        let size = min(Self.cutSize, plan.segmentSize)
        return (offset + size / 2) / size * size
    }
}
