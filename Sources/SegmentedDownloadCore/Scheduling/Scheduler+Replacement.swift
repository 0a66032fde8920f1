/// Connections that bring next to nothing beside others: a new TCP connection may be better.
extension Scheduler {
    /// So long, in seconds, a connection may stay far below the others; doubled with each of its replacements in a row.
    static let firstPatience = 3.0
    /// Far below: this part of what the others bring.
    static let farBelow = 0.125
    /// Others must have brought so much meanwhile, each: where a rate limit lets bytes through one by one, silence
    /// says nothing.
    private static let leastPeerBytes = Double(256 * KiB)

    /// Asks the worst connection's worker to end its lease, which then goes on over a new TCP connection.
    mutating func replace(now: Double) -> [Action] {
        guard mayAsk(now: now), permission.allowsThefts else { return [] }
        var worst: (index: Int, rate: Double)?
        for index in connections.indices {
            guard let rate = rate(ifOverdue: connections[index], now: now), rate < worst?.rate ?? .infinity else {
                continue
            }
            worst = (index, rate)
        }
        guard let worst, let lease = connections[worst.index].lease,
            let usual = usualRate(besides: worst.index, now: now), worst.rate < usual * Self.farBelow,
            usual * connections[worst.index].patience > Self.leastPeerBytes,
            Double(lease.remaining) / max(worst.rate, 1) > 2 * (coldCost + Double(lease.remaining) / usual),
            let outlook = outlook(for: [], now: now), allowsTrial(outlook)
        else { return [] }
        connections[worst.index].patience *= 2
        connections[worst.index].isBeneficiary = true
        connections[worst.index].lease?.pending = .revoke(beneficiary: worst.index)
        return [.revoke(connection: worst.index, lease: lease.id)]
    }

    /// The rate of a connection whose lease is out for longer than its patience. An answer gets three times as long:
    /// one that is late is no reason yet to think that the host bears fewer connections.
    private func rate(ifOverdue connection: Connection, now: Double) -> Double? {
        guard let lease = connection.lease, lease.pending == nil, lease.remaining > 0 else { return nil }
        let least = max(connection.patience, answerPatience(lease))
        let isOverdue = lease.firstByteAt.map { now - $0 > least } ?? (now - lease.requestedAt > 3 * least)
        return isOverdue ? rate(of: connection, now: now) ?? 0 : nil
    }

    /// The mean rate of the others that deliver.
    private func usualRate(besides index: Int, now: Double) -> Double? {
        let delivering = connections.indices.filter { $0 != index && connections[$0].lease?.firstByteAt != nil }
        let rates = delivering.compactMap { rate(of: connections[$0], now: now) }
        return rates.isEmpty ? nil : rates.reduce(0, +) / Double(rates.count)
    }
}
