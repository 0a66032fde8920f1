/// The state that a server's threads share: its script, its log and its open sockets.
struct ServerState {
    /// A route with what its rules have counted.
    struct ScriptedRoute {
        let route: Route
        var requestCount = 0
        var underWay = 0
        /// When the requests that were no surplus began, as far back as a rate needs.
        var servedAt: [Duration] = []
        var ruleCounts: [Int]

        init(_ route: Route) {
            self.route = route
            ruleCounts = Array(repeating: 0, count: route.rules.count)
        }

        /// Whether the next request is one too many. What is none counts for the rate.
        mutating func isSurplus(_ behaviour: Behaviour, at now: Duration) -> Bool {
            if underWay >= behaviour.maximumConcurrentRequests ?? .max { return true }
            guard let rate = behaviour.maximumRate else { return false }
            servedAt.removeAll { $0 <= now - rate.span }
            if servedAt.count >= rate.count { return true }
            servedAt.append(now)
            return false
        }

        /// The behaviour for the next request.
        mutating func behaviour(for request: Request) -> Behaviour {
            requestCount += 1
            var behaviour = route.behaviour
            for (index, rule) in route.rules.enumerated() where rule.requests.matches(request) {
                ruleCounts[index] += 1
                if rule.turns.include(ruleCounts[index]) { rule.change(&behaviour, request) }
            }
            return behaviour
        }
    }

    /// A request that is being answered.
    struct Begun {
        let index: Int
        let behaviour: Behaviour
        let response: Response
        /// What is done with the request instead of answering it; `nil` where it is answered.
        let refusal: Behaviour.Surplus?
    }

    var routes: [String: ScriptedRoute]
    var log = ServerLog()
    var sockets: [Int: ClientSocket] = [:]
    var releaseGate: Gate
    var isStopped = false
    let maximumConnections: Int?
    /// Whether no connection beyond ``maximumConnections`` is taken.
    var isFull: Bool { sockets.count >= maximumConnections ?? .max }

    /// Takes a new connection in; nil where it is one too many.
    mutating func open(_ socket: ClientSocket) -> Int? {
        if isStopped { return nil }
        if let maximumConnections, sockets.count >= maximumConnections {
            log.refusedConnectionCount += 1
            return nil
        }
        log.connectionCount += 1
        sockets[log.connectionCount] = socket
        log.openConnectionCount = sockets.count
        log.maximumConcurrentConnections = max(log.maximumConcurrentConnections, sockets.count)
        return log.connectionCount
    }

    /// Lets a connection go. Its descriptor may be closed after this, and not before: ``FaultServer/stop()`` uses it.
    mutating func close(_ connection: Int) {
        sockets[connection] = nil
        log.openConnectionCount = sockets.count
    }

    /// Enters a request into the log and decides its answer.
    mutating func begin(_ request: Request, at time: Duration) -> Begun {
        var scripted = routes[request.path] ?? ScriptedRoute(Route(.bytes([])) { $0.status = 404 })
        let behaviour = scripted.behaviour(for: request)
        let isSurplus = scripted.isSurplus(behaviour, at: time)
        let response = Response(
            to: request,
            by: behaviour,
            requestNumber: scripted.requestCount,
            isSurplus: isSurplus
        )
        scripted.underWay += 1
        if routes[request.path] != nil { routes[request.path] = scripted }
        log.requestsUnderWay += 1
        log.maximumConcurrentRequests = max(log.maximumConcurrentRequests, log.requestsUnderWay)
        log.requests.append(
            RequestRecord(
                request: request,
                number: log.requests.count + 1,
                range: request.range(length: behaviour.content.length),
                isSurplus: isSurplus,
                startedAt: time
            )
        )
        return Begun(
            index: log.requests.count - 1,
            behaviour: response.isRefusal ? Behaviour(behaviour.content) : behaviour,
            response: response,
            refusal: isSurplus && !response.isRefusal ? behaviour.surplus : nil
        )
    }

    /// Counts a request as stalled; it waits at the gate that is given.
    mutating func stall() -> Gate {
        log.stalledCount += 1
        return releaseGate
    }

    /// Takes a request out of the count whose client has gone. Those that were released are out already.
    mutating func abandonStall(at gate: Gate) {
        if gate === releaseGate { log.stalledCount -= 1 }
    }

    /// Lets all go on that are stalled now; later ones wait at `next`.
    mutating func release(next: Gate) {
        releaseGate.open()
        releaseGate = next
        log.stalledCount = 0
    }

    /// Enters the end of an answer.
    mutating func end(_ index: Int, _ end: RequestRecord.End, at time: Duration) {
        log.requests[index].end = end
        log.requests[index].endedAt = time
        log.requestsUnderWay -= 1
        routes[log.requests[index].path]?.underWay -= 1
    }
}
