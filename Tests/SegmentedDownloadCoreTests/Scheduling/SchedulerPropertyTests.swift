import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

@Suite struct SchedulerPropertyTests {
    @Test("In every order of events each byte is fetched once, no leases overlap, and it ends", arguments: 0..<600)
    func everyOrder(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        let plan = SegmentPlan(
            length: Int64.random(in: 0...6000, using: &random),
            segmentSize: Int64.random(in: 1...700, using: &random)
        )
        var finished = SegmentBitmap(count: plan.segmentCount)
        if Bool.random(using: &random) {
            for index in 0..<plan.segmentCount { finished[index] = Bool.random(using: &random) }
        }
        let configuration = Scheduler.Configuration(
            jobs: Int.random(in: 1...17, using: &random),
            requestSize: Bool.random(using: &random) ? Int64.random(in: 1...2000, using: &random) : nil,
            requestCost: .milliseconds(Int.random(in: 0...300, using: &random))
        )
        let scheduler = Scheduler(ledger: SegmentLedger(plan: plan, finished: finished), configuration: configuration)
        // Two in three hosts bear fewer than are wanted, some none at times.
        let host = SimulatedHost(
            jobs: configuration.jobs,
            bears: Bool.random(using: &random) ? Int.random(in: 1...configuration.jobs, using: &random) : .max,
            refusalPercent: [0, 0, 5].randomElement(using: &random) ?? 0,
            seed: random.next()
        )
        var workers = SimulatedWorkers(scheduler: scheduler, seed: random.next(), host: host)
        let failurePercent = [0, 0, 3, 20].randomElement(using: &random) ?? 0

        workers.tick()
        var steps = 0
        while !workers.scheduler.isComplete, steps < 200_000 {
            workers.step(failurePercent: failurePercent)
            steps += 1
        }
        #expect(workers.scheduler.isComplete, "seed \(seed) ends")
        #expect(workers.writeCounts.allSatisfy { $0 == 1 })
        #expect(workers.readers.isEmpty)
        #expect(workers.reportedFinished.count == plan.segmentCount)
        #expect(workers.scheduler.heldByteCount == plan.length)
    }

    @Test("A host that bears few is found out, and then rarely asked for more", arguments: 0..<40)
    func settles(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        let plan = SegmentPlan(length: 100_000, segmentSize: 100)
        let ledger = SegmentLedger(plan: plan, finished: SegmentBitmap(count: plan.segmentCount))
        let bears = Int.random(in: 1...7, using: &random)
        let host = SimulatedHost(jobs: 8, bears: bears, refusalPercent: 0, seed: random.next())
        let scheduler = Scheduler(ledger: ledger, configuration: .init(jobs: 8))
        var workers = SimulatedWorkers(scheduler: scheduler, seed: random.next(), host: host)
        workers.tick()
        while !workers.scheduler.isComplete, workers.now < .seconds(3600) { workers.step(failurePercent: 0) }
        #expect(workers.scheduler.isComplete)
        #expect(workers.writeCounts.allSatisfy { $0 == 1 })
        let tries = workers.host.refusalTimes.filter { $0 > .seconds(30) }
        // Patience doubles from 2 s on: within an hour there are ten tries.
        #expect(tries.count <= 10, "\(tries)")
        #expect((bears...bears + 1).contains(workers.host.permission(now: workers.now).connections))
    }

    @Test("A stop ends all leases and deals nothing more", arguments: 0..<100)
    func stops(seed: Int) {
        let plan = SegmentPlan(length: 5000, segmentSize: 100)
        let ledger = SegmentLedger(plan: plan, finished: SegmentBitmap(count: plan.segmentCount))
        let scheduler = Scheduler(ledger: ledger, configuration: .init(jobs: 6))
        var workers = SimulatedWorkers(scheduler: scheduler, seed: UInt64(seed))
        workers.perform(workers.scheduler.tick(now: .zero))
        for _ in 0..<seed { workers.step(failurePercent: 5) }
        workers.perform(workers.scheduler.stop())
        let requestCount = workers.requestCount
        var steps = 0
        while !workers.scheduler.isQuiet, steps < 100_000 {
            workers.step(failurePercent: 5)
            steps += 1
        }
        #expect(workers.scheduler.isQuiet)
        #expect(workers.requestCount == requestCount)
        #expect(workers.writeCounts.allSatisfy { $0 <= 1 })
    }
}
