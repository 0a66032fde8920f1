import SegmentedDownloadCore
import SegmentedDownloadTestSupport

/// The host's side of what the workers simulate: it serves so many requests at once and refuses the rest. What is
/// learned of it goes the way that it goes in the engine.
struct SimulatedHost {
    private var record: HostRecord
    private let bears: Int
    private let refusalPercent: Int
    private var random: SeededRandom
    /// Nothing was under way when the last request failed.
    private var waitUntil = Duration.zero
    private(set) var refusalTimes: [Duration] = []

    /// One that refuses nothing.
    static let untiring = SimulatedHost(jobs: 512, bears: .max, refusalPercent: 0, seed: 0)

    /// - Parameter refusalPercent: So many requests are refused whatever else is under way, half of them with a
    ///   Retry-After.
    init(jobs: Int, bears: Int, refusalPercent: Int, seed: UInt64) {
        record = HostRecord(
            connections: .init(maximum: jobs, grace: .milliseconds(500), patience: .seconds(2))
        )
        self.bears = bears
        self.refusalPercent = refusalPercent
        random = SeededRandom(seed: seed)
    }

    func permission(now: Duration) -> Scheduler.Permission {
        .init(
            connections: record.connections.permitted(at: now),
            notBefore: max(waitUntil, record.holdUntil)
        )
    }

    mutating func refuses(withOthers count: Int) -> Bool {
        count >= bears || Int.random(in: 0..<100, using: &random) < refusalPercent
    }

    /// How many it has turned out to bear.
    var limit: Int { record.connections.limit }

    mutating func refused(
        _ connection: Int,
        _ lease: LeaseID,
        by scheduler: Scheduler,
        inSilence: Bool = false,
        now: Duration
    ) {
        refusalTimes.append(now)
        if refusalPercent > 0, Bool.random(using: &random) {
            record.asksToBeLeftAlone(for: .seconds(Int.random(in: 0...5, using: &random)), now: now)
        }
        let refusal = record.connections.refused(
            askedAt: scheduler.requestTime(connection: connection, lease: lease) ?? now,
            others: scheduler.others(than: connection),
            inSilence: inSilence,
            now: now
        )
        if refusal == .alone { waitUntil = now + .milliseconds(500) }
    }

    mutating func delivered(askedAt: Duration, by scheduler: Scheduler) {
        record.connections.delivered(
            askedAt: askedAt,
            count: scheduler.deliveringCount,
            tolerance: scheduler.answerTolerance
        )
    }

    mutating func observe(_ scheduler: Scheduler, now: Duration) {
        let active = scheduler.activeCount(since: record.connections.unchangedSince)
        _ = record.connections.observed(active: active, now: now)
    }
}
