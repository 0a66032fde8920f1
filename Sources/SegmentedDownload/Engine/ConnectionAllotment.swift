internal import SegmentedDownloadCore
internal import SegmentedDownloadLocking

/// The connections of one open download. All members may be called from any thread.
final class ConnectionAllotment: Sendable {
    /// What a download could do with connections.
    struct Need {
        /// The host that they talk to.
        let origin: String
        /// Connections that are held and on which nothing is under way. They stay where nobody else wants them, so that
        /// those whose TCP connections stand are used first.
        var idle: [Int] = []
        /// How many could be used, those that are in use included.
        let wanted: Int
        /// Bytes that are to come; `nil` where nobody knows.
        var remaining: Int64?
        /// Bytes that have arrived for the session's connections so far (``ArrivalCounter``).
        var arrived: Int64 = 0
        /// The time from a request to its first byte; `nil` where nothing is said about how many connections pay.
        var requestCost: Duration?
    }

    /// What a download has brought that is about to rest.
    struct Yield {
        /// Bytes that have arrived for the session's connections so far (``ArrivalCounter``).
        let arrived: Int64
        /// The time from its request to the first byte.
        let requestCost: Duration
    }

    private let budget: ConnectionBudget
    let id: ConnectionBudget.ID

    init(_ budget: ConnectionBudget, _ id: ConnectionBudget.ID) {
        self.budget = budget
        self.id = id
    }

    /// The connections that are the download's now.
    var held: [Int] {
        budget.state.withLock { state in state.shares.first { $0.id == id }?.held ?? [] }
    }

    /// How many may be in use: fewer than are held where fewer are enough.
    var permittedCount: Int {
        budget.state.withLock { state in
            guard let limit = state.tuner?.count else { return .max }
            return max(1, limit - state.shares.prefix { $0.id != id }.reduce(0) { $0 + $1.busyCount })
        }
    }

    /// How many connections pay, as far as is known; `nil` where all may be used.
    var tunedCount: Int? { budget.state.withLock { $0.tuner?.count } }

    /// How many connections other downloads have with a host.
    func othersCount(_ origin: String) -> Int {
        budget.state.withLock { $0.connectionCount(at: origin, except: id) }
    }

    /// How many connections more it could be lent at once; none where another download may want them.
    var spareCount: Int {
        budget.state.withLock { state in
            guard state.waiting.isEmpty, state.shares.count == 1, let share = state.shares.first, share.id == id else {
                return 0
            }
            let borne = share.origin.map { state.hosts.permittedConnections(to: $0) } ?? .max
            return max(0, min(state.free.count, min(borne, state.tuner?.count ?? .max) - share.held.count))
        }
    }

    /// Gives connections back that others can use, and says how many are wanted.
    ///
    /// - Returns: Those that are held from now on.
    func exchange(_ need: Need) -> [Int] {
        change { state, index in
            state.shares[index].busyCount = state.shares[index].held.count - need.idle.count
            state.shares[index].remaining = need.remaining
            state.shares[index].origin = need.origin
            if let cost = need.requestCost {
                state.tune(cost, arrived: need.arrived, now: state.hosts.now)
            }
            if state.isContended(beside: id) {
                state.shares[index].held.removeAll(where: need.idle.contains)
                state.takeBack(need.idle)
            }
            state.shares[index].wanted = max(need.wanted, state.shares[index].held.count)
        }
        return held
    }

    /// Gives all connections back: the download needs the network no more, for now.
    ///
    /// - Parameter yield: What says how many connections pay; `nil` where that was said before.
    func rest(after yield: Yield? = nil) {
        change { state, index in
            if let yield {
                state.shares[index].remaining = 0
                state.tune(yield.requestCost, arrived: yield.arrived, now: state.hosts.now)
            }
            state.takeAll(from: index)
        }
    }

    /// The host has refused the download's only request. Where other downloads are under way there, it bears no more
    /// than those: this one waits until one of their connections is free.
    func giveWay() {
        change { state, index in
            guard let origin = state.shares[index].origin else { return }
            let othersCount = state.connectionCount(at: origin, except: id)
            guard othersCount > 0 else { return }
            let now = state.hosts.now
            _ = state.hosts.with(origin) {
                $0.connections.refused(askedAt: now, others: .init(delivering: othersCount, awaited: 0), now: now)
            }
            state.takeAll(from: index)
        }
    }

    /// The download has ended.
    func end() {
        change { state, index in
            state.takeAll(from: index)
            state.shares.remove(at: index)
        }
    }

    /// Changes the download's share, where it is open.
    private func change(_ body: (_ state: inout ConnectionBudget.State, _ index: Int) -> Void) {
        budget.change { state in
            guard let index = state.shares.firstIndex(where: { $0.id == id }) else { return }
            body(&state, index)
        }
    }
}
