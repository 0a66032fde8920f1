import SegmentedDownloadCore
import Testing

@Suite struct SchedulerPermissionTests {
    private func permit(_ scheduler: inout Scheduler, _ connections: Int, notBefore: Duration = .zero) {
        scheduler.permit(.init(connections: connections, notBefore: notBefore))
    }

    /// Eight leases of 200 bytes, of which the first four end without a byte.
    private func refused(permitting count: Int) throws -> (scheduler: Scheduler, leases: [LeaseID]) {
        var scheduler = SchedulerTests.scheduler(length: 1600, segmentSize: 10, jobs: 8)
        let start = scheduler.tick(now: .zero)
        let leases = try (0..<8).map { try SchedulerTests.lease(start, of: $0) }
        permit(&scheduler, count)
        for index in 0..<4 {
            let actions = scheduler.ended(
                connection: index,
                lease: leases[index],
                written: Int64(index * 200),
                availableAt: .zero,
                now: .zero
            )
            #expect(actions.isEmpty)
        }
        return (scheduler, leases)
    }

    @Test("What is missing is shared by the permitted connections alone")
    func firstDeal() {
        var scheduler = SchedulerTests.scheduler(length: 1600, jobs: 8)
        permit(&scheduler, 2)
        #expect(SchedulerTests.ranges(scheduler.tick(now: .zero)) == [0..<800, 800..<1600])
        #expect(scheduler.tick(now: .seconds(1)).isEmpty)
    }

    @Test("The work of refused connections goes to the others in equal shares, one request each")
    func shares() throws {
        var (scheduler, leases) = try refused(permitting: 4)
        for index in 4..<8 {
            let offset = Int64(index) * 200 + 190
            scheduler.progressed(
                connection: index,
                lease: leases[index],
                received: offset,
                written: offset,
                now: .seconds(1)
            )
        }
        #expect(scheduler.tick(now: .seconds(1)).isEmpty)
        var ranges: [Range<Int64>] = []
        for index in 4..<8 {
            let end = Int64(index + 1) * 200
            let actions = scheduler.ended(
                connection: index,
                lease: leases[index],
                written: end,
                availableAt: .zero,
                now: .seconds(1)
            )
            // The connection that stands is used again.
            guard case .fetch(index, _, let range)? = actions.first else {
                Issue.record("connection \(index) got nothing: \(actions)")
                return
            }
            ranges.append(range)
        }
        #expect(ranges.map(\.count) == [210, 210, 210, 170])
    }

    @Test("Freed bytes wait where fewer are permitted by then")
    func loweredMeanwhile() throws {
        var scheduler = SchedulerTests.scheduler(length: 20_000, jobs: 2)
        let start = scheduler.tick(now: .zero)
        let (fast, slow) = (try SchedulerTests.lease(start, of: 0), try SchedulerTests.lease(start, of: 1))
        scheduler.progressed(connection: 0, lease: fast, received: 1000, written: 1000, now: .milliseconds(100))
        scheduler.progressed(connection: 1, lease: slow, received: 11_000, written: 11_000, now: .seconds(1))
        let actions = scheduler.ended(
            connection: 0,
            lease: fast,
            written: 10_000,
            availableAt: .zero,
            now: .seconds(2)
        )
        guard case .shorten(1, slow, let end)? = actions.first else {
            Issue.record("no steal: \(actions)")
            return
        }
        #expect(scheduler.others(than: 1) == .init(delivering: 1, awaited: 0))
        permit(&scheduler, 1)
        #expect(scheduler.shortened(connection: 1, lease: slow, end: end, now: .seconds(2)).isEmpty)
        permit(&scheduler, 2)
        #expect(!scheduler.tick(now: .seconds(3)).isEmpty)
    }

    @Test("Where a limit on the rate holds all back, nobody takes from another, until it does no more")
    func limitedRate() throws {
        var scheduler = SchedulerTests.scheduler(length: 20_000, jobs: 2)
        let start = scheduler.tick(now: .zero)
        let (fast, slow) = (try SchedulerTests.lease(start, of: 0), try SchedulerTests.lease(start, of: 1))
        scheduler.progressed(connection: 0, lease: fast, received: 1000, written: 1000, now: .milliseconds(100))
        scheduler.progressed(connection: 1, lease: slow, received: 11_000, written: 11_000, now: .seconds(1))
        scheduler.permit(.init(connections: 2, notBefore: .zero, allowsThefts: false))
        let actions = scheduler.ended(
            connection: 0,
            lease: fast,
            written: 10_000,
            availableAt: .zero,
            now: .seconds(2)
        )
        #expect(actions.isEmpty)
        #expect(scheduler.tick(now: .seconds(3)).isEmpty)
        scheduler.permit(.init(connections: 2, notBefore: .zero, allowsThefts: true))
        #expect(!scheduler.tick(now: .seconds(3)).isEmpty)
    }

    @Test("Nothing is asked before the host may be asked, by nobody")
    func hold() throws {
        var scheduler = SchedulerTests.scheduler(length: 400, jobs: 2, requestSize: 100)
        let start = scheduler.tick(now: .zero)
        permit(&scheduler, 2, notBefore: .seconds(5))
        let lease = try SchedulerTests.lease(start, of: 0)
        let actions = scheduler.ended(
            connection: 0,
            lease: lease,
            written: 100,
            availableAt: .zero,
            now: .seconds(1)
        )
        #expect(actions.isEmpty)
        #expect(scheduler.nextAvailability(now: .seconds(1)) == .seconds(5))
        #expect(scheduler.tick(now: .seconds(4.9)).isEmpty)
        #expect(SchedulerTests.ranges(scheduler.tick(now: .seconds(5))) == [200..<300])
    }

    @Test(
        "A lease that was taken unanswered was silent where others' answers took less than a quarter of the time",
        arguments: [Duration.milliseconds(5), .seconds(1)]
    )
    func silence(answerTime: Duration) throws {
        var scheduler = SchedulerTests.scheduler(length: 400, jobs: 2)
        let start = scheduler.tick(now: .zero)
        let (first, second) = (try SchedulerTests.lease(start, of: 0), try SchedulerTests.lease(start, of: 1))
        var now = answerTime
        scheduler.progressed(connection: 0, lease: first, received: 100, written: 100, now: now)
        now += .milliseconds(5)
        _ = scheduler.ended(connection: 0, lease: first, written: 200, availableAt: .zero, now: now)
        #expect(!scheduler.wasTakenInSilence(connection: 1, lease: second, now: .seconds(100)))
        while scheduler.tick(now: now) != [.revoke(connection: 1, lease: second)] {
            now += .milliseconds(100)
            try #require(now < .seconds(100))
        }
        let tolerance = scheduler.answerTolerance
        #expect(tolerance == max(answerTime * 4, .milliseconds(80)))
        #expect(now > tolerance)
        #expect(!scheduler.wasTakenInSilence(connection: 1, lease: second, now: tolerance))
        #expect(scheduler.wasTakenInSilence(connection: 1, lease: second, now: tolerance + .milliseconds(1)))
    }

    @Test("An answer that comes when another connection has ended may have waited for that one's place")
    func place() throws {
        var scheduler = SchedulerTests.scheduler(length: 400, jobs: 4)
        let start = scheduler.tick(now: .zero)
        let leases = try (0..<4).map { try SchedulerTests.lease(start, of: $0) }
        scheduler.progressed(connection: 0, lease: leases[0], received: 50, written: 50, now: .milliseconds(5))
        _ = scheduler.ended(connection: 0, lease: leases[0], written: 100, availableAt: .zero, now: .seconds(5))
        scheduler.progressed(connection: 1, lease: leases[1], received: 150, written: 150, now: .seconds(5.01))
        #expect(scheduler.answerTolerance == .milliseconds(80))
        // That one has not, for the last second. One says little yet, two say more.
        scheduler.progressed(connection: 2, lease: leases[2], received: 250, written: 250, now: .seconds(6))
        #expect(scheduler.answerTolerance == .seconds(1.04))
        scheduler.progressed(connection: 3, lease: leases[3], received: 350, written: 350, now: .seconds(6))
        #expect(scheduler.answerTolerance > .seconds(3.9) && scheduler.answerTolerance <= .seconds(4))
    }

    @Test("The probe's answer that is adopted says how long answers take")
    func adopted() throws {
        var scheduler = SchedulerTests.scheduler(length: 400, jobs: 2)
        let adopted = scheduler.adopt(connection: 0, upTo: 400, now: .seconds(9))
        let lease = try #require(adopted)
        #expect(scheduler.requestTime(connection: 0, lease: lease) == .seconds(8.98))
        scheduler.progressed(connection: 0, lease: lease, received: 1, written: 0, now: .seconds(9))
        #expect(abs(scheduler.coldCost - 0.02) < 0.001)
    }

    @Test("The answer over a TCP connection that stood says nothing of what a new one costs")
    func connected() throws {
        var scheduler = SchedulerTests.scheduler(length: 400, jobs: 3)
        let start = scheduler.tick(now: .zero)
        let leases = try (0..<3).map { try SchedulerTests.lease(start, of: $0) }
        scheduler.progressed(connection: 0, lease: leases[0], received: 1, written: 0, now: .milliseconds(20))
        let cost = scheduler.coldCost
        scheduler.connected(connection: 1, lease: leases[1])
        scheduler.progressed(connection: 1, lease: leases[1], received: 200, written: 0, now: .milliseconds(60))
        #expect(scheduler.coldCost == cost)
        scheduler.progressed(connection: 2, lease: leases[2], received: 399, written: 0, now: .milliseconds(60))
        #expect(scheduler.coldCost > cost)
    }

    @Test("Who has brought bytes since a request was sent was served, even where it has ended")
    func others() throws {
        var scheduler = SchedulerTests.scheduler(length: 300, jobs: 3)
        let start = scheduler.tick(now: .zero)
        let first = try SchedulerTests.lease(start, of: 0)
        #expect(scheduler.others(than: 2) == .init(delivering: 0, awaited: 2))
        scheduler.progressed(connection: 0, lease: first, received: 50, written: 50, now: .seconds(1))
        #expect(scheduler.others(than: 2) == .init(delivering: 1, awaited: 1))
        permit(&scheduler, 1)
        _ = scheduler.ended(connection: 0, lease: first, written: 100, availableAt: .zero, now: .seconds(1))
        #expect(scheduler.others(than: 2) == .init(delivering: 1, awaited: 1))
        #expect(scheduler.activeCount(since: .zero) == 1 && scheduler.activeCount(since: .seconds(2)) == 0)
        #expect(scheduler.deliveringCount == 0)
    }
}
