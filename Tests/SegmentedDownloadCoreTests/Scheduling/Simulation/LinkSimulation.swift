import SegmentedDownloadCore

/// Drives a scheduler as the engine does, over the links of a scenario, on a clock of its own: bytes flow continuously
/// between events, and time jumps from one event to the next.
struct LinkSimulation {
    /// What came of it.
    struct Outcome: Sendable {
        /// Seconds until the last byte was written; infinity where it did not end.
        var seconds = Double.infinity
        var requestCount = 0
        /// Leases that were cut short or taken.
        var theftCount = 0
        /// The most bytes that were held behind the contiguous ones, in an ordered file.
        var largestLag: Int64 = 0
        /// How many connections the host was permitted in the end.
        var limit = 0
        /// Whether each byte was fetched once.
        var isExact = false
    }

    /// A TCP connection and the request that it carries.
    struct Pipe {
        /// Whether it stands and carries nothing.
        var isWarm = false
        /// How many TCP connections the connection has had before.
        var generation = 0
        /// When the first byte of the TCP connection came.
        var openedAt: Double?
        var request: Request?
    }

    struct Request {
        let lease: LeaseID
        let start: Int64
        var end: Int64
        /// Whether the server sends beyond the end.
        var isShortened = false
        /// When its first byte can come.
        let firstByteAt: Double
        let isRefused: Bool
        var isAnswered = false
        /// Bytes below this had come at `time`.
        var received: Double
        var time: Double
        var rate = 0.0
        var written: Int64
        var writtenAt: Double
        var reported: Double
        /// When bytes last flowed.
        var lastByteAt: Double

        func received(at now: Double) -> Double { min(received + rate * (now - time), Double(end)) }
    }

    enum Command {
        case shorten(connection: Int, lease: LeaseID, end: Int64)
        case revoke(connection: Int, lease: LeaseID)
    }

    /// `Worker.reportInterval`, and half of `SegmentedTransfer.tickInterval`: all connections report at once, so that
    /// thousands of downloads can be played in a debug build.
    private static let reportInterval = 0.05
    /// A command waits for so long until its worker's loop comes round.
    static let turn = 0.0005
    static let stallTimeout = 20.0
    /// `ConnectionSettings.gatherBufferSize(of:)` with eight connections.
    static let gatherSize = 128 * KiB

    let scenario: LinkScenario
    private(set) var scheduler: Scheduler
    var host: SimulatedHost
    var pipes: [Pipe]
    private var commands: [(time: Double, command: Command)] = []
    var now = 0.0
    private var nextReport = 0.0
    private var isTick = false
    /// Whether rates have to be shared anew.
    private var isStale = true
    /// When they will have to.
    private var changeAt = Double.infinity
    private var fetched: [Range<Int64>] = []
    private(set) var outcome = Outcome()

    init(_ scenario: LinkScenario) {
        self.scenario = scenario
        let plan = SegmentPlan(length: scenario.length, segmentSize: scenario.segmentSize)
        scheduler = Scheduler(
            ledger: SegmentLedger(plan: plan, finished: SegmentBitmap(count: plan.segmentCount)),
            configuration: .init(
                jobs: scenario.jobs,
                requestCost: .seconds(2 * scenario.roundTrip),
                isOrdered: scenario.isOrdered
            )
        )
        pipes = Array(repeating: Pipe(), count: scenario.jobs)
        host = SimulatedHost(jobs: scenario.jobs, bears: scenario.bears, refusalPercent: 0, seed: 0)
    }

    /// Plays it to its end.
    static func outcome(of scenario: LinkScenario) -> Outcome {
        var simulation = LinkSimulation(scenario)
        let limit = 20 * scenario.optimum + 1000
        while !simulation.scheduler.isComplete, simulation.now < limit { simulation.step() }
        return simulation.finished()
    }

    private func finished() -> Outcome {
        var outcome = outcome
        var offset: Int64 = 0
        for range in fetched.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            guard range.lowerBound == offset else { return outcome }
            offset = range.upperBound
        }
        outcome.limit = host.limit
        outcome.isExact = offset == scenario.length && scheduler.heldByteCount == offset
        if scheduler.isComplete { outcome.seconds = now }
        return outcome
    }

    var instant: Duration { .seconds(now) }
}

// MARK: - Events

extension LinkSimulation {
    private mutating func step() {
        if isStale {
            share()
            changeAt = nextChange
            isStale = false
        }
        now = max(now, min(changeAt, nextEvent()))
        if now >= changeAt { isStale = true }
        let isReportDue = now >= nextReport
        if isReportDue {
            nextReport = now + Self.reportInterval
            isTick.toggle()
            if isTick {
                host.observe(scheduler, now: instant)
                deal { $0.tick(now: $1) }
            }
        }
        while let index = commands.firstIndex(where: { $0.time <= now }) { answer(commands.remove(at: index).command) }
        for connection in pipes.indices where pipes[connection].request != nil {
            look(at: connection, isReportDue: isReportDue)
        }
    }

    private func nextEvent() -> Double {
        var next = nextReport
        for (time, _) in commands { next = min(next, time) }
        for pipe in pipes {
            guard let request = pipe.request else { continue }
            next = min(next, nextEvent(of: request))
        }
        return next
    }

    private func nextEvent(of request: Request) -> Double {
        guard now >= request.firstByteAt else { return request.firstByteAt }
        guard request.rate > 0 else { return request.lastByteAt + Self.stallTimeout }
        if request.reported <= Double(request.start) { return max(request.time + Self.turn, now) }
        return request.time + (Double(request.end) - request.received) / request.rate
    }

    /// What a worker's turn does for a connection.
    private mutating func look(at connection: Int, isReportDue: Bool) {
        guard let request = pipes[connection].request, now >= request.firstByteAt else { return }
        if request.isRefused { return refuse(connection, request) }
        guard request.isAnswered else {
            pipes[connection].request?.isAnswered = true
            if pipes[connection].openedAt == nil { pipes[connection].openedAt = now }
            isStale = true
            return
        }
        let received = request.received(at: now)
        // The first byte is reported at once.
        let isFirst = request.reported <= Double(request.start) && now >= request.time + Self.turn
        if received > Double(request.end) - 0.5 {
            end(connection, isWhole: true)
        } else if request.rate == 0, now - request.lastByteAt >= Self.stallTimeout - 1e-9 {
            end(connection, isWhole: false, wait: 1)
        } else if isReportDue || isFirst, received > request.reported {
            report(connection)
        }
    }

    private mutating func report(_ connection: Int) {
        guard var request = pipes[connection].request else { return }
        let received = request.received(at: now)
        request.received = received
        request.time = now
        if request.rate > 0 { request.lastByteAt = now }
        let whole = Int64(received)
        let gathered = max(request.written, whole - whole % Self.gatherSize)
        if gathered > request.written || now - request.writtenAt >= 1 {
            request.written = gathered > request.written ? gathered : whole
            request.writtenAt = now
        }
        request.reported = received
        pipes[connection].request = request
        let advance = scheduler.progressed(
            connection: connection,
            lease: request.lease,
            received: whole,
            written: request.written,
            now: instant
        )
        if let askedAt = advance.firstByteOfRequestAt { host.delivered(askedAt: askedAt, by: scheduler) }
        guard scenario.isOrdered else { return }
        let lag = scheduler.heldByteCount - scheduler.ledger.contiguousByteCount
        outcome.largestLag = max(outcome.largestLag, lag)
    }

    private mutating func answer(_ command: Command) {
        switch command {
        case .shorten(let connection, let lease, let end):
            guard var request = pipes[connection].request, request.lease == lease else { return }
            report(connection)
            request = pipes[connection].request ?? request
            let nearer = min(request.end, max(end, Int64(request.received.rounded(.up))))
            request.isShortened = request.isShortened || nearer < request.end
            request.end = nearer
            pipes[connection].request = request
            deal { $0.shortened(connection: connection, lease: lease, end: request.end, now: $1) }
        case .revoke(let connection, let lease):
            guard let request = pipes[connection].request, request.lease == lease else { return }
            if scheduler.wasTakenInSilence(connection: connection, lease: lease, now: instant),
                scheduler.others(than: connection).delivering > 0
            {
                host.refused(connection, lease, by: scheduler, inSilence: true, now: instant)
            }
            end(connection, isWhole: false)
        }
    }

    private mutating func refuse(_ connection: Int, _ request: Request) {
        host.refused(connection, request.lease, by: scheduler, now: instant)
        end(connection, isWhole: false)
    }

    /// - Parameters:
    ///   - isWhole: Whether the lease's last byte came.
    ///   - wait: Seconds until the connection may ask again.
    private mutating func end(_ connection: Int, isWhole: Bool, wait: Double = 0) {
        guard let request = pipes[connection].request else { return }
        if now >= request.firstByteAt, !request.isRefused { report(connection) }
        let written = isWhole ? request.end : Int64(pipes[connection].request?.received ?? 0)
        let lease = request.lease
        pipes[connection].request = nil
        pipes[connection].isWarm = isWhole && !request.isShortened
        if !pipes[connection].isWarm {
            pipes[connection].generation += 1
            pipes[connection].openedAt = nil
        }
        if written > request.start { fetched.append(request.start..<written) }
        isStale = true
        let later = instant + .seconds(wait)
        deal { $0.ended(connection: connection, lease: lease, written: written, availableAt: later, now: $1) }
    }

    private mutating func deal(_ event: (inout Scheduler, Duration) -> [Scheduler.Action]) {
        scheduler.permit(host.permission(now: instant))
        for action in event(&scheduler, instant) { perform(action) }
    }

    private mutating func perform(_ action: Scheduler.Action) {
        switch action {
        case .fetch(let connection, let lease, let range): ask(connection, lease, range)
        case .shorten(let connection, let lease, let end):
            outcome.theftCount += 1
            commands.append((now + Self.turn, .shorten(connection: connection, lease: lease, end: end)))
        case .revoke(let connection, let lease):
            outcome.theftCount += 1
            commands.append((now + Self.turn, .revoke(connection: connection, lease: lease)))
        }
    }

    private mutating func ask(_ connection: Int, _ lease: LeaseID, _ range: Range<Int64>) {
        let answerTime = scenario.answerTimes[outcome.requestCount % scenario.answerTimes.count]
        outcome.requestCount += 1
        // Those that are never answered take no place.
        let others = pipes.count { $0.request.map { $0.firstByteAt.isFinite } ?? false }
        let isRefused = host.refuses(withOthers: others)
        let firstByteAt =
            isRefused && scenario.isSurplusSilent
            ? .infinity : now + scenario.roundTrip * (pipes[connection].isWarm ? 1 : 2) + answerTime
        pipes[connection].isWarm = false
        pipes[connection].request = Request(
            lease: lease,
            start: range.lowerBound,
            end: range.upperBound,
            firstByteAt: firstByteAt,
            isRefused: isRefused,
            received: Double(range.lowerBound),
            time: firstByteAt,
            written: range.lowerBound,
            writtenAt: firstByteAt,
            reported: Double(range.lowerBound),
            lastByteAt: now
        )
    }
}
