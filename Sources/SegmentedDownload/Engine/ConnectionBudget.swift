import Dispatch
internal import SegmentedDownloadCore
internal import SegmentedDownloadLocking

/// Which connections of a session serve which of its open downloads.
///
/// A connection that comes free goes to the download that was started first among those that want one. The next
/// download is opened only when the open ones can't use a free connection. Of a host, all downloads together have no
/// more connections than it bears.
///
/// Its lock stands between those of a transfer and of the host records: with it held, only ``HostRecords`` are asked.
final class ConnectionBudget: Sendable {
    /// Names one open download for ever.
    fileprivate struct ID: Hashable {
        let rawValue: Int
    }

    fileprivate struct Share {
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
        /// Bytes that have come so far.
        var received: Int64 = 0
        /// Told of each connection that comes later than it was asked for.
        let onGrant: @Sendable () -> Void
    }

    fileprivate struct Waiting {
        let id: ID
        let origin: String?
        let onGrant: @Sendable () -> Void
        let open: @Sendable () -> Void
    }

    fileprivate struct State {
        /// Descending, so that the lowest is taken with `removeLast`.
        var free: [Int]
        /// In the order in which they were opened.
        var shares: [Share] = []
        /// Downloads that were started and not opened yet, by their numbers; the next one's.
        var waiting: [Int: Waiting] = [:]
        var nextWaiting = 0
        var visitors: [DispatchSemaphore] = []
        /// Bytes that came to the downloads that have ended.
        var receivedBefore: Int64 = 0
        /// Where so many connections are used as pay.
        var tuner: ConnectionTuner?
        var nextID = 0
        var isClosed = false
    }

    /// What is to be done once the lock is let go.
    private typealias Deed = @Sendable () -> Void

    private let state: Locked<State>
    private let hosts: HostRecords
    /// Downloads that are open at once beyond one a connection: those that sync and rename hold none, and others may start
    /// meanwhile. A file system brings to the disk in one go what many wait for.
    static let restingLimit = 32
    /// A download that is open blocks a thread, and for moments another one for its journal and for its digest: Dispatch has
    /// 255 at most, and where all wait nothing ever runs again.
    private static let mostOpen = 80
    /// Downloads that are open at once.
    private let openLimit: Int

    /// - Parameters:
    ///   - jobs: The connections that there are.
    ///   - restingLimit: Downloads that are open at once without a connection.
    ///   - isTuned: Whether no more are used than pay.
    init(jobs: Int, restingLimit: Int = ConnectionBudget.restingLimit, isTuned: Bool, hosts: HostRecords) {
        state = Locked(
            State(free: (0..<jobs).reversed(), tuner: isTuned ? ConnectionTuner(maximum: jobs) : nil)
        )
        self.hosts = hosts
        openLimit = min(jobs + restingLimit, Self.mostOpen)
    }

    /// The connections of a download that is to be admitted: none so far.
    func makeAllotment() -> ConnectionAllotment {
        let id = state.withLock { state in
            state.nextID += 1
            return ID(rawValue: state.nextID)
        }
        return ConnectionAllotment(self, id)
    }

    /// Opens a download at once, or as soon as the open ones can't use a free connection.
    ///
    /// - Parameters:
    ///   - origin: The host that it talks to first; `nil` where that is not known.
    ///   - onGrant: Called, on any thread, when the download has got a connection.
    ///   - open: Called once, on any thread; the download has a connection then, unless its host bears none more, or the
    ///     session is closed.
    func admit(
        _ allotment: ConnectionAllotment,
        origin: String?,
        onGrant: @escaping @Sendable () -> Void,
        open: @escaping @Sendable () -> Void
    ) {
        change { state in
            let number = state.nextWaiting + state.waiting.count
            state.waiting[number] = Waiting(id: allotment.id, origin: origin, onGrant: onGrant, open: open)
        }
    }

    /// Blocks until a download that is started now would be opened at once.
    ///
    /// - Returns: `false` where the session is closed.
    func waitForRoom() -> Bool {
        let visitor = DispatchSemaphore(value: 0)
        while true {
            let (answer, deeds): (Bool?, [Deed]) = state.withLock { state in
                if state.isClosed { return (false, []) }
                if state.waiting.isEmpty, hasRoom(state) { return (true, []) }
                state.visitors.append(visitor)
                // Who has kept connections that it can't use gives them back now.
                return (nil, state.shares.filter { $0.busyCount < $0.held.count }.map(\.onGrant))
            }
            if let answer { return answer }
            for deed in deeds { deed() }
            visitor.wait()
        }
    }

    /// Opens everything that waits, without connections, and whatever is admitted later.
    func close() {
        change { $0.isClosed = true }
    }

    private func hasRoom(_ state: State) -> Bool { state.mayGrant && state.shares.count < openLimit }

    private func change(_ body: (inout State) -> Void) {
        let deeds = state.withLock { state in
            body(&state)
            return settle(&state)
        }
        for deed in deeds { deed() }
    }

    /// Hands free connections out, opens what may be opened, and wakes who waits for room.
    private func settle(_ state: inout State) -> [Deed] {
        var deeds: [Deed] = []
        for index in state.shares.indices {
            var grantedCount = 0
            while state.shares[index].held.count < state.shares[index].wanted, state.mayGrant,
                isBorne(state.shares[index], state)
            {
                state.shares[index].held.append(state.free.removeLast())
                grantedCount += 1
            }
            state.shares[index].busyCount += grantedCount
            if grantedCount > 0 { deeds.append(state.shares[index].onGrant) }
        }
        while state.isClosed || hasRoom(state), let next = state.waiting.removeValue(forKey: state.nextWaiting) {
            state.nextWaiting += 1
            var share = Share(id: next.id, held: [], origin: next.origin, onGrant: next.onGrant)
            // Where its host bears no more it waits for a connection, open, and others pass.
            if !state.isClosed, isBorne(share, state) {
                share.held = [state.free.removeLast()]
                share.busyCount = 1
            }
            state.shares.append(share)
            deeds.append(next.open)
        }
        if state.isClosed || (state.waiting.isEmpty && hasRoom(state)) {
            let visitors = state.visitors
            state.visitors = []
            deeds.append { for visitor in visitors { visitor.signal() } }
        }
        return deeds
    }

    /// Whether anybody but one download could use a connection.
    private func isContended(beside id: ID, _ state: State) -> Bool {
        !state.waiting.isEmpty || !state.visitors.isEmpty
            || state.shares.contains { $0.id != id && $0.held.count < $0.wanted && isBorne($0, state) }
    }

    /// Whether the host of a download bears one connection more.
    private func isBorne(_ share: Share, _ state: State) -> Bool {
        guard let origin = share.origin else { return true }
        let count = state.connectionCount(at: origin)
        return count == 0 || count < hosts.permittedConnections(to: origin)
    }
}

/// The connections of one open download. All members may be called from any thread.
final class ConnectionAllotment: Sendable {
    private let budget: ConnectionBudget
    fileprivate let id: ConnectionBudget.ID

    fileprivate init(_ budget: ConnectionBudget, _ id: ConnectionBudget.ID) {
        self.budget = budget
        self.id = id
    }

    /// The connections that are the download's now.
    var held: [Int] { budget.held(id) }

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
        /// Bytes that the download has received so far.
        var received: Int64 = 0
        /// The time from a request to its first byte; `nil` where nothing is said about how many connections pay.
        var requestCost: Duration?
    }

    /// Gives connections back that others can use, and says how many are wanted.
    ///
    /// - Returns: Those that are held from now on.
    func exchange(_ need: Need) -> [Int] { budget.exchange(id, need) }

    /// How many may be in use: fewer than are held where fewer are enough.
    var permittedCount: Int { budget.permittedCount(id) }

    /// How many connections more it could be lent at once; none where another download may want them.
    var spareCount: Int { budget.spareCount(id) }

    /// What a download has brought that is about to rest.
    struct Yield {
        /// Bytes that it has received so far.
        let byteCount: Int64
        /// The time from its request to the first byte.
        let requestCost: Duration
    }

    /// How many connections pay, as far as is known; `nil` where all may be used.
    var tunedCount: Int? { budget.tunedCount }

    /// Gives all connections back: the download needs the network no more, for now.
    ///
    /// - Parameter yield: What says how many connections pay; `nil` where that was said before.
    func rest(after yield: Yield? = nil) { budget.rest(id, yield) }

    /// The host has refused the download's only request. Where other downloads are under way there, it bears no more
    /// than those: this one waits until one of their connections is free.
    func giveWay() { budget.giveWay(id) }

    /// The download has ended, and received so many bytes in all.
    func end(received byteCount: Int64) { budget.end(id, received: byteCount) }

    /// How many connections other downloads have with a host.
    func othersCount(_ origin: String) -> Int { budget.othersCount(id, origin) }
}

// MARK: - What one download asks for

extension ConnectionBudget {
    fileprivate func held(_ id: ID) -> [Int] {
        state.withLock { $0.shares.first { $0.id == id }?.held ?? [] }
    }

    fileprivate func exchange(_ id: ID, _ need: ConnectionAllotment.Need) -> [Int] {
        let now = hosts.now
        change(id) { state, index in
            state.shares[index].busyCount = state.shares[index].held.count - need.idle.count
            state.shares[index].remaining = need.remaining
            state.shares[index].origin = need.origin
            if let cost = need.requestCost {
                state.shares[index].received = need.received
                state.tune(cost, now: now)
            }
            if isContended(beside: id, state) {
                state.shares[index].held.removeAll(where: need.idle.contains)
                state.takeBack(need.idle)
            }
            state.shares[index].wanted = max(need.wanted, state.shares[index].held.count)
        }
        return held(id)
    }

    fileprivate var tunedCount: Int? { state.withLock { $0.tuner?.count } }

    fileprivate func permittedCount(_ id: ID) -> Int {
        state.withLock { state in
            guard let limit = state.tuner?.count else { return .max }
            return max(1, limit - state.shares.prefix { $0.id != id }.reduce(0) { $0 + $1.busyCount })
        }
    }

    fileprivate func spareCount(_ id: ID) -> Int {
        state.withLock { state in
            guard state.waiting.isEmpty, state.shares.count == 1, let share = state.shares.first, share.id == id else {
                return 0
            }
            let borne = share.origin.map { hosts.permittedConnections(to: $0) } ?? .max
            return max(0, min(state.free.count, min(borne, state.tuner?.count ?? .max) - share.held.count))
        }
    }

    fileprivate func rest(_ id: ID, _ yield: ConnectionAllotment.Yield?) {
        let now = hosts.now
        change(id) { state, index in
            if let yield {
                state.shares[index].received = yield.byteCount
                state.shares[index].remaining = 0
                state.tune(yield.requestCost, now: now)
            }
            state.takeAll(from: index)
        }
    }

    fileprivate func giveWay(_ id: ID) {
        let now = hosts.now
        change(id) { state, index in
            guard let origin = state.shares[index].origin else { return }
            let othersCount = state.connectionCount(at: origin, except: id)
            guard othersCount > 0 else { return }
            _ = hosts.with(origin) {
                $0.connections.refused(askedAt: now, others: .init(delivering: othersCount, awaited: 0), now: now)
            }
            state.takeAll(from: index)
        }
    }

    fileprivate func end(_ id: ID, received byteCount: Int64) {
        change(id) { state, index in
            state.takeAll(from: index)
            state.shares.remove(at: index)
            state.receivedBefore += byteCount
        }
    }

    fileprivate func othersCount(_ id: ID, _ origin: String) -> Int {
        state.withLock { $0.connectionCount(at: origin, except: id) }
    }

    /// Changes the share of a download; one that is not open has none.
    private func change(_ id: ID, _ body: (_ state: inout State, _ index: Int) -> Void) {
        change { state in
            guard let index = state.shares.firstIndex(where: { $0.id == id }) else { return }
            body(&state, index)
        }
    }
}

extension ConnectionBudget.State {
    /// Whether a connection more may be handed out.
    fileprivate var mayGrant: Bool {
        guard !free.isEmpty else { return false }
        return shares.reduce(0) { $0 + $1.held.count } < tuner?.count ?? .max
    }

    /// Asks how many connections pay. Those to come of a list count as endless.
    fileprivate mutating func tune(_ requestCost: Duration, now: Duration) {
        let isListed = !waiting.isEmpty || !visitors.isEmpty
        var remaining: Int64? = isListed ? nil : 0
        for share in shares { remaining = remaining.flatMap { sum in share.remaining.map { sum + $0 } } }
        tuner?.observe(
            .init(
                byteCount: shares.reduce(receivedBefore) { $0 + $1.received },
                busyCount: shares.reduce(0) { $0 + $1.busyCount },
                remaining: remaining,
                requestCost: requestCost
            ),
            now: now
        )
    }

    /// How many connections the downloads have with a host, but for one of them.
    fileprivate func connectionCount(at origin: String, except id: ConnectionBudget.ID? = nil) -> Int {
        shares.reduce(0) { $0 + ($1.origin == origin && $1.id != id ? $1.held.count : 0) }
    }

    /// Takes all connections of a share back, which wants none for now.
    fileprivate mutating func takeAll(from index: Int) {
        takeBack(shares[index].held)
        shares[index].held = []
        shares[index].wanted = 0
        shares[index].busyCount = 0
    }

    fileprivate mutating func takeBack(_ connections: [Int]) {
        guard !connections.isEmpty else { return }
        free = (free + connections).sorted(by: >)
    }
}
