/// How fast bytes flow between two events.
extension LinkSimulation {
    /// Gives every connection what it bears, within its fair share of the total.
    mutating func share() {
        var flowing: [(connection: Int, most: Double)] = []
        for connection in pipes.indices {
            guard var request = pipes[connection].request, now >= request.firstByteAt, !request.isRefused else {
                continue
            }
            let received = request.received(at: now)
            if received > request.received { request.lastByteAt = now }
            request.received = received
            request.time = now
            request.rate = 0
            pipes[connection].request = request
            if let openedAt = pipes[connection].openedAt {
                flowing.append((connection, most(of: connection, openedAt: openedAt)))
            }
        }
        // Water-filling: those that bear less than an equal share leave the rest to the others.
        flowing.sort { $0.most < $1.most }
        var left = scenario.total.bytesPerSecond(at: now)
        for (index, flow) in flowing.enumerated() {
            let rate = min(flow.most, left / Double(flowing.count - index))
            left -= rate
            pipes[flow.connection].request?.rate = rate
        }
    }

    private func profile(of connection: Int) -> RateProfile {
        guard pipes[connection].generation > 0, let replacement = scenario.replacement else {
            return scenario.profiles[connection]
        }
        return replacement
    }

    private func most(of connection: Int, openedAt: Double) -> Double {
        min(profile(of: connection).bytesPerSecond(at: now), scenario.windowRate(after: now - openedAt))
    }

    /// When some rate changes next; infinity where none does. A change makes the shares stale.
    var nextChange: Double {
        var next = scenario.total.nextChange(after: now)
        for connection in pipes.indices where pipes[connection].request != nil {
            next = min(next, profile(of: connection).nextChange(after: now))
            guard let openedAt = pipes[connection].openedAt, scenario.windowRate(after: now - openedAt).isFinite else {
                continue
            }
            let doublings = ((now - openedAt) / scenario.roundTrip + 1e-9).rounded(.down) + 1
            next = min(next, openedAt + doublings * scenario.roundTrip)
        }
        return next
    }
}
