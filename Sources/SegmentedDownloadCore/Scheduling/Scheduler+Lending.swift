/// Which connections the file may use: several files share those of a session.
extension Scheduler {
    /// Lets the file use these connections and no others. One that is taken away must be free.
    package mutating func lend(_ lent: some Sequence<Int>) {
        let lent = Set(lent)
        for index in connections.indices {
            connections[index].isLent = lent.contains(index)
            precondition(
                connections[index].isLent || connections[index].lease == nil,
                "A connection that carries a lease is not taken away"
            )
        }
    }

    /// The connections that nothing can be done with at the moment: to be asked after what could be dealt was dealt.
    package func idleConnections(now: Duration) -> [Int] {
        connections.indices.filter { isFree($0, now: now.inSeconds) }
    }

    /// How many connections could be used, beside those that have something to do or wait for their time.
    package func wantedCount(now: Duration) -> Int {
        let now = now.inSeconds
        guard mayAsk(now: now) else { return 0 }
        let room = permission.connections - engagedCount
        // Who has connections that it can do nothing with has no use for another.
        guard room > 0, idleConnections(now: .seconds(now)).isEmpty else { return 0 }
        let segmentCount = (pool.byteCount + plan.segmentSize - 1) / plan.segmentSize
        if segmentCount > 0 { return min(room, Int(clamping: segmentCount)) }
        guard permission.allowsThefts, let newcomer = connections.indices.first(where: { !connections[$0].isLent }),
            let outlook = outlook(for: [newcomer], now: now)
        else { return 0 }
        return bestTheft(for: newcomer, in: outlook) == nil ? 0 : 1
    }

    /// Gives up what is under way on more than `count` connections, the slowest first: unlike what a host refuses, what
    /// does not pay is taken from connections that deliver.
    package mutating func retreat(to count: Int, now: Duration) -> [Action] {
        let now = now.inSeconds
        // Those that were asked to before have not answered yet, and count no more.
        let surplus = engagedCount - connections.count { $0.lease?.pending == .revoke(beneficiary: nil) } - count
        guard surplus > 0 else { return [] }
        let slowest = connections.indices.filter { connections[$0].lease.map { $0.pending == nil } ?? false }
            .map { (index: $0, rate: rate(of: connections[$0], now: now) ?? 0) }
            .sorted { ($0.rate, $0.index) < ($1.rate, $1.index) }
        return slowest.prefix(surplus).compactMap { index, _ in
            connections[index].lease?.pending = .revoke(beneficiary: nil)
            return connections[index].lease.map { .revoke(connection: index, lease: $0.id) }
        }
    }
}
