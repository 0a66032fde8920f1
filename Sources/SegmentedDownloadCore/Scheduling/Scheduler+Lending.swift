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
        guard room > 0 else { return 0 }
        let segmentCount = (pool.byteCount + plan.segmentSize - 1) / plan.segmentSize
        if segmentCount > 0 { return min(room, Int(clamping: segmentCount)) }
        guard let newcomer = connections.indices.first(where: { !connections[$0].isLent }), let prey = prey(now: now)
        else { return 0 }
        return bestTheft(for: newcomer, from: prey) == nil ? 0 : 1
    }
}
