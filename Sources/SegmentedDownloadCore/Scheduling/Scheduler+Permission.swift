/// What is permitted, and what its other connections do: what the host's limit is told and asked.
extension Scheduler {
    /// What the host and the limit on the rate permit at the moment.
    package struct Permission: Equatable, Sendable {
        /// How many requests may be under way at once, at least 1.
        package var connections: Int
        /// No new request before then.
        package var notBefore: Duration
        /// Whether connections may take from each other. Where a limit on the rate holds them back, nothing is gained by it.
        package var allowsThefts: Bool

        package init(connections: Int, notBefore: Duration, allowsThefts: Bool = true) {
            self.connections = max(connections, 1)
            self.notBefore = notBefore
            self.allowsThefts = allowsThefts
        }
    }

    /// Tells what is permitted from now on, before an event that may deal. Leases that are out beyond it stay: who
    /// delivers is not given up.
    package mutating func permit(_ next: Permission) {
        permission = next
    }

    /// Connections that hold a lease, or for which another was asked to give up bytes.
    var engagedCount: Int { connections.count { $0.lease != nil || $0.isBeneficiary } }

    /// What is under way beside one connection, and what has brought bytes since its request was sent, even where it
    /// has ended by now.
    package func others(than connection: Int) -> ConnectionLimit.Others {
        let askedAt = connections[connection].lease?.requestedAt ?? .infinity
        var others = ConnectionLimit.Others(delivering: 0, awaited: 0)
        for index in connections.indices where index != connection {
            let other = connections[index]
            if other.lease?.firstByteAt != nil || other.lastByteAt ?? -.infinity >= askedAt {
                others.delivering += 1
            } else if other.lease != nil || other.isBeneficiary {
                others.awaited += 1
            }
        }
        return others
    }

    /// How many leases have brought a byte.
    package var deliveringCount: Int { connections.count { $0.lease?.firstByteAt != nil } }

    /// How many connections have brought bytes since a time.
    package func activeCount(since time: Duration) -> Int {
        let time = time.inSeconds
        return connections.count { $0.lastByteAt.map { $0 >= time } ?? false }
    }

    /// When the request of a lease was sent; `nil` where it has ended.
    package func requestTime(connection: Int, lease id: LeaseID) -> Duration? {
        guard let lease = connections[connection].lease, lease.id == id else { return nil }
        return .seconds(lease.requestedAt)
    }

    /// How late an answer may be without being taken for one that never comes.
    package var answerTolerance: Duration { .seconds(lateness) }

    /// Whether a lease was taken from its connection because no byte had come for longer than others' answers take. Not
    /// one whose TCP connection has brought bytes before: the host bears that.
    package func wasTakenInSilence(connection: Int, lease id: LeaseID, now: Duration) -> Bool {
        let connection = connections[connection]
        guard let lease = connection.lease, lease.id == id, lease.pending?.isTakeover ?? false else { return false }
        guard lease.firstByteAt == nil, !connection.isWarm else { return false }
        return now - .seconds(lease.requestedAt) > answerTolerance
    }
}
