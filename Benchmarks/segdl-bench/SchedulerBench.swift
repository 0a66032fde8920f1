import SegmentedDownloadCore

/// What scheduling and counting cost for each segment, without links or disks: the same for few and for many.
struct SchedulerBench {
    private static let segmentSize = 64 * KiB

    /// - Returns: A row for each number of segments and connections.
    func run() -> Table {
        var table = Table(["segments of 64 KiB", "jobs", "ns a segment", "seconds in all"])
        for jobs in [8, 512] {
            for count in [10_000, 100_000, 1_000_000] {
                var download = Replay(segmentCount: count, jobs: jobs)
                let time = ContinuousClock().measure { download.run() }.inSeconds
                let perSegment = time * 1e9 / Double(count)
                table.append(["\(count)", "\(jobs)", perSegment.decimal(0), time.decimal(3)])
            }
        }
        return table
    }

    /// A download whose connections bring a segment each in turn.
    private struct Replay {
        private struct Reader {
            let connection: Int
            let lease: LeaseID
            var offset: Int64
            let end: Int64
        }

        private var scheduler: Scheduler
        private var readers: [Reader] = []
        private var now = 0.0

        init(segmentCount: Int, jobs: Int) {
            let plan = SegmentPlan(length: Int64(segmentCount) * segmentSize, segmentSize: segmentSize)
            let ledger = SegmentLedger(plan: plan, finished: SegmentBitmap(count: segmentCount))
            scheduler = Scheduler(ledger: ledger, configuration: .init(jobs: jobs))
        }

        mutating func run() {
            perform(scheduler.tick(now: .zero))
            while !readers.isEmpty {
                now += 0.0001
                for index in readers.indices.reversed() { advance(index) }
                // What the engine asks ten times a second and after each turn.
                _ = (scheduler.heldByteCount, scheduler.ledger.contiguousByteCount, scheduler.isComplete)
                _ = scheduler.takeFreshlyFinished()
            }
            precondition(scheduler.isComplete, "Every segment was brought")
        }

        private mutating func advance(_ index: Int) {
            readers[index].offset = min(readers[index].offset + segmentSize, readers[index].end)
            let reader = readers[index]
            guard reader.offset == reader.end else {
                scheduler.progressed(
                    connection: reader.connection,
                    lease: reader.lease,
                    received: reader.offset,
                    written: reader.offset,
                    now: .seconds(now)
                )
                return
            }
            readers.remove(at: index)
            perform(
                scheduler.ended(
                    connection: reader.connection,
                    lease: reader.lease,
                    written: reader.offset,
                    availableAt: .zero,
                    now: .seconds(now)
                )
            )
        }

        private mutating func perform(_ actions: [Scheduler.Action]) {
            for case .fetch(let connection, let lease, let range) in actions {
                readers.append(
                    Reader(connection: connection, lease: lease, offset: range.lowerBound, end: range.upperBound)
                )
            }
        }
    }
}
