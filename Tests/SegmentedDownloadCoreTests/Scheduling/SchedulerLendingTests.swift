import SegmentedDownloadCore
import Testing

@Suite struct SchedulerLendingTests {
    private static func revoked(_ actions: [Scheduler.Action]) -> [Int] {
        actions.compactMap { if case .revoke(let connection, _) = $0 { connection } else { nil } }
    }

    @Test("The slowest retreat, as many as are too many, and nobody twice while they have not answered")
    func retreat() throws {
        var scheduler = SchedulerTests.scheduler(length: 8_000_000, jobs: 8)
        let leases = try (0..<8).map { [start = scheduler.tick(now: .zero)] in try SchedulerTests.lease(start, of: $0) }
        for tenths in 1...10 {
            for index in 0..<8 {
                let offset = Int64(index * 1_000_000 + tenths * 100 * (8 - index))
                let now = Duration.milliseconds(100 * tenths)
                scheduler.progressed(
                    connection: index,
                    lease: leases[index],
                    received: offset,
                    written: offset,
                    now: now
                )
            }
        }
        #expect(Self.revoked(scheduler.retreat(to: 6, now: .seconds(1))).sorted() == [6, 7])
        #expect(scheduler.retreat(to: 6, now: .seconds(1)).isEmpty)
        #expect(Self.revoked(scheduler.retreat(to: 5, now: .seconds(1))) == [5])
    }

    @Test("Who has a connection that it can do nothing with wants no other")
    func wanted() {
        var scheduler = SchedulerTests.scheduler(length: 1600, segmentSize: 10, jobs: 4)
        scheduler.lend([0, 1])
        #expect(scheduler.wantedCount(now: .zero) == 0, "\(scheduler.idleConnections(now: .zero)) come first")
        #expect(!scheduler.tick(now: .zero).isEmpty)
        #expect(scheduler.idleConnections(now: .zero).isEmpty)
    }
}
