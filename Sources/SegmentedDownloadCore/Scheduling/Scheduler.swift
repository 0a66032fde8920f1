/// Decides which connection fetches which bytes. A state machine without I/O and without a clock: events go in, with
/// the time, and ``Action``s come out. The same events at the same times give the same actions.
///
/// Rules (docs/architecture.md has the reasons):
/// - what is missing is dealt evenly, in runs of consecutive segments;
/// - a connection that runs dry takes so much of the far end of the lease that would finish last that both finish
///   together, or all of it where the owner would be too slow even for one segment;
/// - only the worker that reads a lease changes its end: the scheduler asks, and deals the rest after the answer;
/// - a lease that ends early goes back with the bytes that it has.
package struct Scheduler: Sendable {
    /// What the owner of the scheduler has to do, in this order, before it tells of another event: a worker must get
    /// its commands in the order in which they were decided.
    package enum Action: Equatable, Sendable {
        /// Send a request for `range` on `connection`.
        case fetch(connection: Int, lease: LeaseID, range: Range<Int64>)
        /// Ask the worker of `connection` to end the lease at `end`, or where it is if that is farther; the answer is
        /// ``Scheduler/shortened(connection:lease:end:now:)``.
        case shorten(connection: Int, lease: LeaseID, end: Int64)
        /// Ask the worker of `connection` to end the lease where it is; the answer is
        /// ``Scheduler/ended(connection:lease:written:availableAt:now:)``.
        case revoke(connection: Int, lease: LeaseID)
    }

    /// The numbers that a scheduler is made with.
    package struct Configuration: Sendable {
        /// Connections at once, at least 1.
        package var jobs: Int
        /// The most bytes of one request, rounded up to whole segments; `nil` for no limit.
        package var requestSize: Int64?
        /// The time from a request to its first byte, until it is measured.
        package var requestCost: Duration
        /// Whether the file is wanted from its front to its back, since someone follows the contiguous bytes: leases
        /// are then short.
        package var isOrdered: Bool

        package init(
            jobs: Int,
            requestSize: Int64? = nil,
            requestCost: Duration = .milliseconds(50),
            isOrdered: Bool = false
        ) {
            self.jobs = jobs
            self.requestSize = requestSize
            self.requestCost = requestCost
            self.isOrdered = isOrdered
        }
    }

    struct Connection: Sendable {
        var lease: Lease?
        /// Whether the file may use it: several files share a session's connections.
        var isLent = true
        /// Whether another connection was asked to give up bytes for this one.
        var isBeneficiary = false
        /// No request before this time, in seconds.
        var availableAt = 0.0
        /// Measured in all leases since its TCP connection was last found fault with.
        var rate = RateEstimate()
        /// When it last brought bytes, in any lease; `nil` where it never has.
        var lastByteAt: Double?
        /// Whether its last lease ended as it should, so that its TCP connection stands: a host that bears few
        /// connections counts it.
        var isWarm = false
        /// Whether its last lease was taken from it, or never answered: its next one is a trial.
        var isSuspect = false
        /// So many seconds it may stay far below the others before it is replaced.
        var patience = Scheduler.firstPatience
    }

    package let plan: SegmentPlan
    package private(set) var ledger: SegmentLedger
    var connections: [Connection]
    var pool: MissingRanges
    let requestSize: Int64
    let isOrdered: Bool
    /// What the host and the limit on the rate permit.
    var permission: Permission
    var nextLease = 0
    private(set) var isStopped = false
    /// Seconds from a request to its first byte, averaged: on a connection that stands, and on a new one.
    private(set) var warmCost: Double
    package private(set) var coldCost: Double
    /// Whether an answer has been measured; the costs are a guess before.
    private var isMeasured = false
    /// Seconds that the host's slowest answers took, as far as they had not to wait for another connection's end.
    private(set) var longestAnswer: Double
    /// When a lease that was served last ended: a host that serves few answers the next one then.
    private var placeFreeAt = -Double.infinity

    /// Makes a scheduler for what the ledger misses, to the byte: what an attempt before wrote of a segment stays.
    package init(ledger: SegmentLedger, configuration: Configuration) {
        precondition(configuration.jobs >= 1, "A scheduler needs a connection")
        plan = ledger.plan
        self.ledger = ledger
        pool = MissingRanges(ledger.missingRanges)
        connections = Array(repeating: Connection(), count: configuration.jobs)
        requestSize = configuration.requestSize.map(ledger.plan.wholeSegments) ?? .max
        isOrdered = configuration.isOrdered
        permission = Permission(connections: configuration.jobs, notBefore: .zero)
        warmCost = configuration.requestCost.inSeconds
        coldCost = warmCost
        longestAnswer = warmCost
    }
}

// MARK: - State

extension Scheduler {
    /// The number of connections that hold a lease.
    package var busyCount: Int { connections.count { $0.lease != nil } }

    /// Whether every byte is written and every worker has let go.
    package var isComplete: Bool { ledger.isComplete && busyCount == 0 }

    /// Whether nothing is under way and nothing more will be.
    package var isQuiet: Bool { busyCount == 0 && (isStopped || ledger.isComplete) }

    /// Bytes received or resumed, those in gather buffers included.
    package var heldByteCount: Int64 {
        plan.length - pool.byteCount - connections.reduce(0) { $0 + ($1.lease?.remaining ?? 0) }
    }

    /// When a connection that has to wait may go on; `nil` where none waits.
    package func nextAvailability(now: Duration) -> Duration? {
        guard now >= permission.notBefore else { return permission.notBefore }
        let now = now.inSeconds
        return connections.lazy.filter { $0.lease == nil && $0.availableAt > now }
            .map(\.availableAt).min().map { .seconds($0) }
    }
}

// MARK: - Events

extension Scheduler {
    /// Deals what can be dealt: call it at the start, then several times a second, and when a wait is over.
    package mutating func tick(now: Duration) -> [Action] {
        let now = now.inSeconds
        return dispatch(now: now) + replace(now: now)
    }

    /// By how much a lease advanced since it was last heard of, in bytes.
    package struct Advance: Equatable, Sendable {
        package var received: Int64 = 0
        package var written: Int64 = 0
        /// When the request was sent whose first byte this is; `nil` for later ones.
        package var firstByteOfRequestAt: Duration?
    }

    /// A lease has brought bytes. Both offsets only grow.
    ///
    /// - Parameters:
    ///   - received: Bytes below this offset have arrived.
    ///   - written: Bytes below this offset were handed to the kernel.
    @discardableResult
    package mutating func progressed(
        connection: Int,
        lease id: LeaseID,
        received: Int64,
        written: Int64,
        now: Duration
    ) -> Advance {
        guard var lease = connections[connection].lease, lease.id == id else { return Advance() }
        var advance = Advance(received: max(0, received - lease.received), written: max(0, written - lease.written))
        let now = now.inSeconds
        if received > lease.received {
            if lease.firstByteAt == nil {
                lease.firstByteAt = now
                advance.firstByteOfRequestAt = .seconds(lease.requestedAt)
                measureAnswer(of: lease, isWarm: connections[connection].isWarm || lease.isConnected, now: now)
                connections[connection].rate.resume(now: now, roundTrip: warmCost)
            }
            connections[connection].rate.received(received - lease.received, now: now)
            lease.received = received
            lease.lastByteAt = now
            connections[connection].lastByteAt = now
        }
        if written > lease.written {
            ledger.wrote(lease.written..<written)
            lease.written = written
        }
        connections[connection].lease = lease
        return advance
    }

    /// Says that the TCP connection of a lease stands already: what its answer takes says nothing of what a new one costs.
    package mutating func connected(connection: Int, lease id: LeaseID) {
        guard connections[connection].lease?.id == id else { return }
        connections[connection].lease?.isConnected = true
    }

    /// Leases the bytes of an answer that is under way already: those from the start of the file up to `end`.
    ///
    /// - Returns: `nil` where they are not all missing; the answer is of no use then.
    package mutating func adopt(connection: Int, upTo end: Int64, now: Duration) -> LeaseID? {
        guard let first = pool.first, first.lowerBound == 0, end > 0, end <= first.upperBound,
            connections[connection].lease == nil
        else { return nil }
        // What was guessed is what this answer took.
        _ = lease(pool.takeFirst(upTo: end), to: connection, now: now.inSeconds - coldCost)
        return connections[connection].lease?.id
    }

    /// The answer to ``Action/shorten(connection:lease:end:)``.
    ///
    /// - Parameter end: The lease's end from now on, exactly.
    package mutating func shortened(connection: Int, lease id: LeaseID, end: Int64, now: Duration) -> [Action] {
        guard var lease = connections[connection].lease, lease.id == id, let pending = lease.pending else { return [] }
        precondition(end <= lease.end && end >= lease.received, "A lease only shrinks, and never below what arrived")
        let freed = end..<lease.end
        lease.isShortened = lease.isShortened || !freed.isEmpty
        lease.end = end
        lease.pending = nil
        connections[connection].lease = lease
        return deal(freed, of: lease, for: pending, now: now.inSeconds)
    }

    /// A lease has ended, well or not: its worker holds no handle of it any more, and everything below `written` was
    /// handed to the kernel. What lies beyond goes back to be dealt again.
    ///
    /// - Parameter availableAt: No new request on this connection before then.
    package mutating func ended(
        connection: Int,
        lease id: LeaseID,
        written: Int64,
        availableAt: Duration,
        now: Duration
    ) -> [Action] {
        guard let lease = connections[connection].lease, lease.id == id else { return [] }
        progressed(connection: connection, lease: id, received: written, written: written, now: now)
        if connections[connection].lease?.firstByteAt != nil {
            connections[connection].rate.pause(now: now.inSeconds)
            placeFreeAt = now.inSeconds
        }
        connections[connection].lease = nil
        connections[connection].availableAt = availableAt.inSeconds
        connections[connection].isWarm = written == lease.end && !lease.isShortened
        judge(connection, lease, written: written, now: now.inSeconds)
        let rest = written..<lease.end
        guard let pending = lease.pending else {
            pool.insert(rest)
            return dispatch(now: now.inSeconds)
        }
        return deal(rest, of: lease, for: pending, now: now.inSeconds)
    }

    private mutating func measureAnswer(of lease: Lease, isWarm: Bool, now: Double) {
        let time = now - lease.requestedAt
        if !isMeasured {
            isMeasured = true
            // HEAD is answered at once by hosts that have to fetch the bytes from elsewhere.
            warmCost = max(warmCost, time)
            coldCost = max(coldCost, time)
            longestAnswer = max(longestAnswer, time)
        }
        // One answer that takes long says little of the next one.
        let answer = min(time, now - placeFreeAt, 3 * longestAnswer + RateEstimate.window)
        longestAnswer = max(longestAnswer, answer)
        let average = { (cost: Double) in cost + 0.3 * (min(time, 3 * cost + 0.05) - cost) }
        if isWarm { warmCost = average(warmCost) } else { coldCost = average(coldCost) }
    }

    /// What a lease's end says of its connection.
    private mutating func judge(_ connection: Int, _ lease: Lease, written: Int64, now: Double) {
        // A refusal comes at once and strands nothing.
        let wasSilent = written == lease.start && now - lease.requestedAt > answerPatience(lease)
        connections[connection].isSuspect = wasSilent || lease.pending?.isTakeover ?? false
        if connections[connection].isSuspect {
            // The next TCP connection may be better.
            connections[connection].rate = RateEstimate()
        } else {
            connections[connection].patience = Self.firstPatience
        }
    }

    /// Nothing is dealt any more. The leases that are out are revoked by these actions.
    package mutating func stop() -> [Action] {
        isStopped = true
        return connections.indices.compactMap { index in
            connections[index].lease.map { .revoke(connection: index, lease: $0.id) }
        }
    }
}

extension Scheduler {
    /// Segments that were finished since the last call: the journal keeper's question.
    package mutating func takeFreshlyFinished() -> [Int] { ledger.takeFreshlyFinished() }
}
