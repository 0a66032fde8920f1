import Dispatch
internal import SegmentedDownloadCore

extension ConnectionBudget {
    /// Names one open download for ever.
    struct ID: Hashable {
        let rawValue: Int
    }

    /// What an open download has.
    struct Share {
        let id: ID
        /// Ascending; these connections are the download's until it gives them back.
        var held: [Int]
        /// How many it could use, those that it holds included.
        var wanted = 1
        /// The host that it talks to; `nil` before it has talked to any.
        var origin: String?
        /// Connections that something is under way on, and the bytes that are to come.
        var busyCount = 0
        var remaining: Int64?
        /// Told of each connection that comes later than it was asked for.
        let onGrant: Deed
    }

    /// A download that was started and not opened yet.
    struct Waiting {
        let id: ID
        let origin: String?
        let onGrant: Deed
        let open: Deed
    }

    /// What the budget's lock guards.
    struct State {
        let hosts: HostRecords
        /// Downloads that are open at once.
        let openLimit: Int
        /// Descending, so that the lowest is taken with `removeLast`.
        var free: [Int]
        /// In the order in which they were opened.
        var shares: [Share] = []
        /// Downloads that were started and not opened yet, by their numbers; the next one's.
        var waiting: [Int: Waiting] = [:]
        var nextWaiting = 0
        var visitors: [DispatchSemaphore] = []
        /// Where so many connections are used as pay.
        var tuner: ConnectionTuner?
        var nextID = 0
        var isClosed = false
    }
}

// MARK: - Questions

extension ConnectionBudget.State {
    /// Whether a connection more may be handed out.
    private var mayGrant: Bool {
        guard !free.isEmpty else { return false }
        return shares.reduce(0) { $0 + $1.held.count } < tuner?.count ?? .max
    }

    /// Whether a download more may be opened, with a connection.
    var hasRoom: Bool { mayGrant && shares.count < openLimit }

    /// Whether anybody but one download could use a connection.
    func isContended(beside id: ConnectionBudget.ID) -> Bool {
        !waiting.isEmpty || !visitors.isEmpty
            || shares.contains { $0.id != id && $0.held.count < $0.wanted && isBorne($0) }
    }

    /// Whether the host of a download bears one connection more.
    private func isBorne(_ share: ConnectionBudget.Share) -> Bool {
        guard let origin = share.origin else { return true }
        let count = connectionCount(at: origin)
        return count == 0 || count < hosts.permittedConnections(to: origin)
    }

    /// How many connections the downloads have with a host, but for one of them.
    func connectionCount(at origin: String, except id: ConnectionBudget.ID? = nil) -> Int {
        shares.reduce(0) { $0 + ($1.origin == origin && $1.id != id ? $1.held.count : 0) }
    }
}

// MARK: - Changes

extension ConnectionBudget.State {
    /// Hands free connections out, opens what may be opened, and wakes who waits for room.
    mutating func settle() -> [ConnectionBudget.Deed] {
        var deeds: [ConnectionBudget.Deed] = []
        for index in shares.indices {
            var grantedCount = 0
            while shares[index].held.count < shares[index].wanted, mayGrant, isBorne(shares[index]) {
                shares[index].held.append(free.removeLast())
                grantedCount += 1
            }
            shares[index].busyCount += grantedCount
            if grantedCount > 0 { deeds.append(shares[index].onGrant) }
        }
        while isClosed || hasRoom, let next = waiting.removeValue(forKey: nextWaiting) {
            nextWaiting += 1
            deeds.append(open(next))
        }
        if isClosed || (waiting.isEmpty && hasRoom) {
            let visitors = visitors
            self.visitors = []
            deeds.append { for visitor in visitors { visitor.signal() } }
        }
        return deeds
    }

    private mutating func open(_ next: ConnectionBudget.Waiting) -> ConnectionBudget.Deed {
        var share = ConnectionBudget.Share(id: next.id, held: [], origin: next.origin, onGrant: next.onGrant)
        // Where its host bears no more it waits for a connection, open, and others pass.
        if !isClosed, isBorne(share) {
            share.held = [free.removeLast()]
            share.busyCount = 1
        }
        shares.append(share)
        return next.open
    }

    /// Asks how many connections pay. Those to come of a list count as endless.
    mutating func tune(_ requestCost: Duration, arrived byteCount: Int64, now: Duration) {
        let isListed = !waiting.isEmpty || !visitors.isEmpty
        var remaining: Int64? = isListed ? nil : 0
        for share in shares { remaining = remaining.flatMap { sum in share.remaining.map { sum + $0 } } }
        tuner?.observe(
            .init(
                byteCount: byteCount,
                busyCount: shares.reduce(0) { $0 + $1.busyCount },
                remaining: remaining,
                requestCost: requestCost
            ),
            now: now
        )
    }

    /// Takes all connections of a share back, which wants none for now.
    mutating func takeAll(from index: Int) {
        takeBack(shares[index].held)
        shares[index].held = []
        shares[index].wanted = 0
        shares[index].busyCount = 0
    }

    mutating func takeBack(_ connections: [Int]) {
        guard !connections.isEmpty else { return }
        free = (free + connections).sorted(by: >)
    }
}
