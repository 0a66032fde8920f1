import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

/// The workers' side of the scheduler's contract, without sockets: leases that are read at random speeds, commands that
/// wait for their answer as long as the seed wants, ends of every kind. It checks each action as it comes.
struct SimulatedWorkers {
    struct Reader {
        let lease: LeaseID
        var end: Int64
        var received: Int64
        var written: Int64
        /// Whether the host refuses it: it ends without a byte.
        var isRefused = false
    }

    enum Command {
        case shorten(connection: Int, lease: LeaseID, end: Int64)
        case revoke(connection: Int, lease: LeaseID)
    }

    var scheduler: Scheduler
    var readers: [Int: Reader] = [:]
    var commands: [Command] = []
    var now = Duration.zero
    /// How often each byte was written, a byte of the file each.
    var writeCounts: [UInt8]
    /// What was reported as finished so far.
    var reportedFinished: Set<Int> = []
    var requestCount = 0
    var stealCount = 0
    var host: SimulatedHost
    private var random: SeededRandom

    init(scheduler: Scheduler, seed: UInt64, host: SimulatedHost = .untiring) {
        self.host = host
        self.scheduler = scheduler
        writeCounts = Array(repeating: 0, count: Int(scheduler.plan.length))
        random = SeededRandom(seed: seed)
        for index in 0..<scheduler.plan.segmentCount where scheduler.ledger.finished[index] {
            let bytes = scheduler.plan.byteRange(ofSegment: index)
            for offset in bytes { writeCounts[Int(offset)] = 1 }
            reportedFinished.insert(index)
        }
    }

    mutating func perform(_ actions: [Scheduler.Action]) {
        for action in actions {
            switch action {
            case .fetch(let connection, let lease, let range):
                requestCount += 1
                #expect(!range.isEmpty)
                #expect(readers[connection] == nil, "a connection holds one lease at a time")
                #expect(readers.count < host.permission(now: now).connections, "more than the host permits")
                #expect(host.permission(now: now).notBefore <= now, "a request while the host is left alone")
                for (_, other) in readers {
                    #expect(!range.overlaps(other.received..<other.end), "two leases overlap")
                }
                readers[connection] = Reader(
                    lease: lease,
                    end: range.upperBound,
                    received: range.lowerBound,
                    written: range.lowerBound,
                    isRefused: host.refuses(withOthers: readers.count)
                )
            case .shorten(let connection, let lease, let end):
                stealCount += 1
                commands.append(.shorten(connection: connection, lease: lease, end: end))
            case .revoke(let connection, let lease):
                stealCount += 1
                commands.append(.revoke(connection: connection, lease: lease))
            }
        }
    }

    /// One random event.
    mutating func step(failurePercent: Int) {
        now += .milliseconds(Int.random(in: 1...300, using: &random))
        switch Int.random(in: 0..<10, using: &random) {
        case 0: tick()
        case 1, 2: answerCommand()
        default: advanceReader(failurePercent: failurePercent)
        }
        checkFinished()
    }

    /// Deals what can be dealt, within what the host permits.
    mutating func tick() {
        host.observe(scheduler, now: now)
        scheduler.permit(host.permission(now: now))
        perform(scheduler.tick(now: now))
    }

    private mutating func answerCommand() {
        guard let index = commands.indices.randomElement(using: &random) else { return }
        switch commands.remove(at: index) {
        case .shorten(let connection, let lease, let end):
            guard var reader = readers[connection], reader.lease == lease else { return }
            reader.end = min(reader.end, max(end, reader.received))
            readers[connection] = reader
            scheduler.permit(host.permission(now: now))
            perform(scheduler.shortened(connection: connection, lease: lease, end: reader.end, now: now))
        case .revoke(let connection, let lease):
            guard let reader = readers[connection], reader.lease == lease else { return }
            end(connection, reader, availableAt: now)
        }
    }

    private mutating func advanceReader(failurePercent: Int) {
        guard let connection = readers.keys.sorted().randomElement(using: &random), var reader = readers[connection]
        else { return }
        if reader.isRefused {
            host.refused(connection, reader.lease, by: scheduler, now: now)
            return end(connection, reader, availableAt: now)
        }
        let most = min(reader.end - reader.received, Int64.random(in: 1...400, using: &random))
        reader.received += Int64.random(in: 0...most, using: &random)
        if Bool.random(using: &random) { write(upTo: reader.received, &reader) }
        readers[connection] = reader
        if reader.received == reader.end {
            end(connection, reader, availableAt: now)
        } else if Int.random(in: 0..<100, using: &random) < failurePercent {
            end(connection, reader, availableAt: now + .milliseconds(Int.random(in: 0...2000, using: &random)))
        } else {
            progress(connection, reader)
        }
    }

    private mutating func progress(_ connection: Int, _ reader: Reader) {
        let advance = scheduler.progressed(
            connection: connection,
            lease: reader.lease,
            received: reader.received,
            written: reader.written,
            now: now
        )
        if let askedAt = advance.firstByteOfRequestAt { host.delivered(askedAt: askedAt, by: scheduler) }
    }

    private mutating func write(upTo offset: Int64, _ reader: inout Reader) {
        for byte in reader.written..<offset {
            writeCounts[Int(byte)] += 1
            #expect(writeCounts[Int(byte)] == 1, "byte \(byte) was fetched twice")
        }
        reader.written = offset
    }

    /// Every end flushes before it reports.
    private mutating func end(_ connection: Int, _ reader: Reader, availableAt: Duration) {
        var reader = reader
        write(upTo: reader.received, &reader)
        readers[connection] = nil
        progress(connection, reader)
        scheduler.permit(host.permission(now: now))
        perform(
            scheduler.ended(
                connection: connection,
                lease: reader.lease,
                written: reader.written,
                availableAt: availableAt,
                now: now
            )
        )
    }

    private mutating func checkFinished() {
        for index in scheduler.takeFreshlyFinished() {
            #expect(reportedFinished.insert(index).inserted, "a segment is reported once")
            let bytes = scheduler.plan.byteRange(ofSegment: index)
            #expect(bytes.allSatisfy { writeCounts[Int($0)] == 1 }, "segment \(index) counts before it was written")
        }
    }
}
