import SegmentedDownloadCore
import Testing

@Suite struct SchedulerTests {
    static func scheduler(
        length: Int64,
        segmentSize: Int64 = 100,
        jobs: Int,
        requestSize: Int64? = nil,
        finished: [Int] = []
    ) -> Scheduler {
        let plan = SegmentPlan(length: length, segmentSize: segmentSize)
        var bits = SegmentBitmap(count: plan.segmentCount)
        for index in finished { bits[index] = true }
        return Scheduler(
            ledger: SegmentLedger(plan: plan, finished: bits),
            configuration: .init(jobs: jobs, requestSize: requestSize, requestCost: .milliseconds(20))
        )
    }

    static func ranges(_ actions: [Scheduler.Action]) -> [Range<Int64>] {
        actions.compactMap { action in
            if case .fetch(_, _, let range) = action { range } else { nil }
        }
    }

    static func lease(_ actions: [Scheduler.Action], of connection: Int) throws -> LeaseID {
        for case .fetch(connection, let lease, _) in actions { return lease }
        throw NoLease()
    }

    struct NoLease: Error {}

    @Test("What is missing is dealt evenly, one run each")
    func even() {
        var scheduler = Self.scheduler(length: 1600, jobs: 4)
        #expect(Self.ranges(scheduler.tick(now: .zero)) == [0..<400, 400..<800, 800..<1200, 1200..<1600])
    }

    @Test("Nine segments among eight connections leave none idle")
    func uneven() {
        var scheduler = Self.scheduler(length: 900, jobs: 8)
        let ranges = Self.ranges(scheduler.tick(now: .zero))
        #expect(ranges.count == 8)
        #expect(ranges.map { $0.upperBound - $0.lowerBound }.max() == 200)
    }

    @Test("There are never more requests than segments")
    func fewSegments() {
        var scheduler = Self.scheduler(length: 250, jobs: 64)
        #expect(Self.ranges(scheduler.tick(now: .zero)) == [0..<100, 100..<200, 200..<250])
    }

    @Test("A resume asks for the complement of what is finished")
    func resume() {
        var scheduler = Self.scheduler(length: 1000, jobs: 10, finished: [0, 3, 4, 9])
        let ranges = Self.ranges(scheduler.tick(now: .zero))
        #expect(ranges.map(\.lowerBound) == [100, 200, 500, 600, 700, 800])
        #expect(ranges.allSatisfy { $0.upperBound - $0.lowerBound == 100 })
    }

    @Test("A request size of one segment makes one request a segment")
    func requestSize() throws {
        var scheduler = Self.scheduler(length: 1000, jobs: 2, requestSize: 100)
        var actions = scheduler.tick(now: .zero)
        #expect(Self.ranges(actions) == [0..<100, 100..<200])
        actions = scheduler.ended(
            connection: 0,
            lease: try Self.lease(actions, of: 0),
            written: 100,
            availableAt: .zero,
            now: .seconds(1)
        )
        #expect(Self.ranges(actions) == [200..<300])
    }

    @Test("A connection that runs dry takes the far end of the lease that would finish last, on a boundary")
    func steal() throws {
        var scheduler = Self.scheduler(length: 20_000, jobs: 2)
        let start = scheduler.tick(now: .zero)
        let (fast, slow) = (try Self.lease(start, of: 0), try Self.lease(start, of: 1))
        scheduler.progressed(connection: 0, lease: fast, received: 1000, written: 1000, now: .milliseconds(100))
        scheduler.progressed(connection: 1, lease: slow, received: 10_100, written: 10_100, now: .milliseconds(100))
        scheduler.progressed(connection: 1, lease: slow, received: 11_000, written: 11_000, now: .seconds(1))
        let actions = scheduler.ended(
            connection: 0,
            lease: fast,
            written: 10_000,
            availableAt: .zero,
            now: .seconds(1)
        )
        // 9,000 bytes are left to an owner at 1,000 bytes a second, the newcomer brings 10 times that.
        guard case .shorten(1, slow, let end)? = actions.first else {
            Issue.record("no steal: \(actions)")
            return
        }
        #expect(end % 100 == 0)
        #expect((11_500...13_000).contains(end))
        let dealt = scheduler.shortened(connection: 1, lease: slow, end: end, now: .seconds(1))
        #expect(Self.ranges(dealt) == [end..<20_000])
    }

    @Test("No steal where the rest comes sooner than a request would")
    func worthless() throws {
        var scheduler = Self.scheduler(length: 20_000, jobs: 2)
        let start = scheduler.tick(now: .zero)
        let (first, second) = (try Self.lease(start, of: 0), try Self.lease(start, of: 1))
        scheduler.progressed(connection: 0, lease: first, received: 100, written: 100, now: .milliseconds(100))
        scheduler.progressed(connection: 1, lease: second, received: 10_100, written: 10_100, now: .milliseconds(100))
        scheduler.progressed(connection: 1, lease: second, received: 19_900, written: 19_900, now: .seconds(1))
        let actions = scheduler.ended(
            connection: 0,
            lease: first,
            written: 10_000,
            availableAt: .zero,
            now: .seconds(1)
        )
        #expect(actions.isEmpty)
    }

    @Test("An owner too slow for one segment loses everything from its present offset")
    func takeover() throws {
        var scheduler = Self.scheduler(length: 2000, segmentSize: 1000, jobs: 2)
        let start = scheduler.tick(now: .zero)
        let (fast, slow) = (try Self.lease(start, of: 0), try Self.lease(start, of: 1))
        scheduler.progressed(connection: 0, lease: fast, received: 10, written: 10, now: .milliseconds(100))
        scheduler.progressed(connection: 1, lease: slow, received: 1010, written: 1000, now: .milliseconds(100))
        scheduler.progressed(connection: 1, lease: slow, received: 1020, written: 1000, now: .seconds(1))
        let actions = scheduler.ended(connection: 0, lease: fast, written: 1000, availableAt: .zero, now: .seconds(1))
        #expect(actions == [.revoke(connection: 1, lease: slow)])
        let dealt = scheduler.ended(
            connection: 1,
            lease: slow,
            written: 1025,
            availableAt: .zero,
            now: .milliseconds(1001)
        )
        #expect(Self.ranges(dealt).first == 1025..<2000)
    }

    @Test("A failed lease gives back what it had not written, after the wait")
    func failure() throws {
        var scheduler = Self.scheduler(length: 400, jobs: 1)
        let start = scheduler.tick(now: .zero)
        let lease = try Self.lease(start, of: 0)
        let actions = scheduler.ended(
            connection: 0,
            lease: lease,
            written: 150,
            availableAt: .seconds(2),
            now: .seconds(1)
        )
        #expect(actions.isEmpty)
        #expect(scheduler.nextAvailability(now: .seconds(1)) == .seconds(2))
        #expect(Self.ranges(scheduler.tick(now: .seconds(2))) == [150..<400])
    }

    @Test("An answer for a lease that has ended changes nothing")
    func lateAnswer() throws {
        var scheduler = Self.scheduler(length: 400, jobs: 1)
        let lease = try Self.lease(scheduler.tick(now: .zero), of: 0)
        _ = scheduler.ended(connection: 0, lease: lease, written: 400, availableAt: .zero, now: .seconds(1))
        #expect(scheduler.shortened(connection: 0, lease: lease, end: 300, now: .seconds(1)).isEmpty)
        #expect(scheduler.isComplete)
    }

    @Test("A ledger with partly written segments starts a new schedule with what they miss")
    func partialLedger() throws {
        let plan = SegmentPlan(length: 300, segmentSize: 100)
        var ledger = SegmentLedger(plan: plan, finished: SegmentBitmap(count: 3))
        ledger.wrote(0..<150)
        var scheduler = Scheduler(ledger: ledger, configuration: .init(jobs: 1))
        let start = scheduler.tick(now: .zero)
        #expect(Self.ranges(start) == [150..<300])
        #expect(scheduler.heldByteCount == 150)
        let lease = try Self.lease(start, of: 0)
        scheduler.progressed(connection: 0, lease: lease, received: 199, written: 199, now: .seconds(1))
        #expect(!scheduler.ledger.finished[1])
        scheduler.progressed(connection: 0, lease: lease, received: 200, written: 200, now: .seconds(1))
        #expect(scheduler.ledger.finished[1])
        _ = scheduler.ended(connection: 0, lease: lease, written: 300, availableAt: .zero, now: .seconds(2))
        #expect(scheduler.isComplete)
    }

    @Test("Connections do not take a silent lease from each other for ever where answers take long")
    func slowAnswers() throws {
        var scheduler = Self.scheduler(length: 400, jobs: 2)
        var actions = scheduler.tick(now: .zero)
        // One connection is done at once; the other's answer takes longer and longer to be worth waiting for.
        let first = try Self.lease(actions, of: 0)
        scheduler.progressed(connection: 0, lease: first, received: 100, written: 100, now: .milliseconds(5))
        scheduler.progressed(connection: 0, lease: first, received: 199, written: 199, now: .milliseconds(9))
        actions = scheduler.ended(
            connection: 0,
            lease: first,
            written: 200,
            availableAt: .zero,
            now: .milliseconds(10)
        )
        var thefts = 0

        for tenth in 1...600 {
            let now = Duration.milliseconds(100 * tenth)
            for case .revoke(let connection, let lease) in scheduler.tick(now: now) {
                thefts += 1
                _ = scheduler.ended(connection: connection, lease: lease, written: 200, availableAt: now, now: now)

            }
        }
        #expect((1...4).contains(thefts))
    }
}
