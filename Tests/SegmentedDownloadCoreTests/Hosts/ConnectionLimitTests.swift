import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

@Suite struct ConnectionLimitTests {
    private static let grace = Duration.milliseconds(500)
    private static let patience = Duration.seconds(2)

    private func limit(_ maximum: Int = 8) -> ConnectionLimit {
        ConnectionLimit(.init(maximum: maximum, grace: Self.grace, patience: Self.patience))
    }

    private func others(_ delivering: Int, _ awaited: Int = 0) -> ConnectionLimit.Others {
        .init(delivering: delivering, awaited: awaited)
    }

    /// A limit that has settled at `bears` of 8, all of which deliver.
    private func settled(at bears: Int) -> ConnectionLimit {
        var limit = limit()
        for count in 1...bears { limit.delivered(askedAt: .zero, count: count) }
        for count in (bears..<8).reversed() { _ = limit.refused(askedAt: .zero, others: others(count), now: .zero) }
        return limit
    }

    @Test("Surplus connections are refused until as many are left as the host bears")
    func lowers() {
        var limit = limit()
        limit.delivered(askedAt: .zero, count: 1)
        for count in (4..<8).reversed() {
            let refusal = limit.refused(askedAt: .zero, others: others(1, count - 1), now: .zero)
            #expect(refusal == .lowered(to: count, again: false))
        }
        #expect(limit.permitted(at: .zero) == 4)
    }

    @Test("Requests that wait for an answer count as those that may be served")
    func awaited() {
        var limit = limit()
        limit.delivered(askedAt: .zero, count: 1)
        #expect(limit.refused(askedAt: .zero, others: others(1, 3), now: .zero) == .lowered(to: 4, again: false))
    }

    @Test("An answer that takes as long as others were waited for in vain gives back what that had cost")
    func lateAnswer() {
        var limit = limit()
        limit.delivered(askedAt: .zero, count: 1)
        for (count, wait) in [(7, Duration.seconds(2)), (6, .seconds(1))] {
            let others = others(1, count - 1)
            _ = limit.refused(askedAt: .zero, others: others, inSilence: true, now: wait)
            #expect(limit.limit == count)
        }
        limit.delivered(askedAt: .zero, count: 1, tolerance: .seconds(1.9))
        #expect(limit.limit == 6)
        limit.delivered(askedAt: .zero, count: 1, tolerance: .seconds(2))
        #expect(limit.limit == 8)
    }

    @Test("A late answer gives back nothing that refusals have cost, before or after", arguments: [false, true])
    func lateAnswerAfterRefusals(isSilentFirst: Bool) {
        var limit = limit()
        limit.delivered(askedAt: .zero, count: 1)
        for (count, inSilence) in isSilentFirst ? [(6, true), (5, false)] : [(5, false), (4, true)] {
            _ = limit.refused(askedAt: .zero, others: others(1, count - 1), inSilence: inSilence, now: .seconds(1))
        }
        limit.delivered(askedAt: .zero, count: 1, tolerance: .seconds(100))
        #expect(limit.limit == 5)
    }

    @Test("Where nobody is served it was an outage, and as many are permitted as before")
    func outage() {
        var limit = limit()
        for count in (1..<8).reversed() {
            _ = limit.refused(askedAt: .zero, others: others(0, count), now: .zero)
            #expect(limit.permitted(at: .zero) == count)
        }
        #expect(limit.refused(askedAt: .zero, others: others(0), now: .zero) == .alone)
        #expect(limit.permitted(at: .zero) == 8)
        #expect(limit.takeFinding(at: .seconds(5)) == nil)
    }

    @Test("Refusals before the first byte stand once one is served")
    func provenLater() {
        var limit = limit()
        for count in (1..<8).reversed() { _ = limit.refused(askedAt: .zero, others: others(0, count), now: .zero) }
        limit.delivered(askedAt: .zero, count: 1)
        #expect(limit.refused(askedAt: .seconds(1), others: others(0), now: .seconds(1)) == .alone)
        #expect(limit.permitted(at: .seconds(1)) == 1)
    }

    @Test("What was borne before is refused once: fewer for a while, then as many again")
    func pauses() {
        var limit = settled(at: 4)
        let now = Duration.seconds(1)
        #expect(limit.refused(askedAt: now, others: others(3), now: now) == .paused(until: now + Self.grace))
        #expect(limit.permitted(at: now) == 3)
        // The same event: it was asked before the pause was over.
        #expect(limit.refused(askedAt: now, others: others(2), now: now) == .paused(until: now + Self.grace))
        #expect(limit.permitted(at: now) == 2)
        #expect(limit.permitted(at: now + Self.grace) == 4)
    }

    @Test("What was borne before and is refused again after the pause is lowered")
    func refusedAgain() {
        var limit = settled(at: 4)
        _ = limit.refused(askedAt: .seconds(1), others: others(3), now: .seconds(1))
        let later = Duration.seconds(1) + Self.grace
        #expect(limit.refused(askedAt: later, others: others(3), now: later) == .lowered(to: 3, again: true))
        #expect(limit.permitted(at: later) == 3)
    }

    @Test("A pause that was followed by an answer is forgotten")
    func pauseIsForgotten() {
        var limit = settled(at: 4)
        _ = limit.refused(askedAt: .seconds(1), others: others(3), now: .seconds(1))
        limit.delivered(askedAt: .seconds(2), count: 4)
        #expect(
            limit.refused(askedAt: .seconds(3), others: others(3), now: .seconds(3)) == .paused(until: .seconds(3.5))
        )
        #expect(
            limit.refused(askedAt: .seconds(300), others: others(3), now: .seconds(300))
                == .paused(until: .seconds(300.5))
        )
    }

    @Test("It grows by one after a time in which all permitted connections brought bytes, and not before")
    func grows() {
        var limit = settled(at: 4)
        #expect(limit.observed(active: 4, now: Self.patience - .milliseconds(1)) == nil)
        #expect(limit.observed(active: 3, now: Self.patience) == nil)
        #expect(limit.observed(active: 4, now: Self.patience) == 5)
        #expect(limit.permitted(at: Self.patience) == 5)
        #expect(limit.observed(active: 5, now: Self.patience) == nil)
        #expect(limit.observed(active: 5, now: Self.patience * 2) == 6)
        #expect(limit.observed(active: 8, now: Self.patience * 3) == 7)
        #expect(limit.observed(active: 8, now: Self.patience * 4) == 8)
        #expect(limit.observed(active: 8, now: Self.patience * 5) == nil)
        #expect(limit.permitted(at: Self.patience * 5) == 8)
    }

    @Test("Each refused try of one more doubles the patience, up to ten minutes")
    func patience() {
        var limit = settled(at: 2)
        var tries: [Duration] = []
        var now = Duration.zero
        while now < .seconds(7200) {
            now += .milliseconds(100)
            guard limit.observed(active: 2, now: now) == 3 else { continue }
            tries.append(now)
            #expect(limit.refused(askedAt: now, others: others(2), now: now) == .lowered(to: 2, again: false))
        }
        let waits = zip(tries.dropFirst(), tries).map { $0 - $1 }
        #expect(tries.first == Self.patience)
        let doubled = [4, 8, 16, 32, 64, 128, 256, 512].map { Duration.seconds($0) }
        #expect(Array(waits.prefix(8)) == doubled)
        #expect(waits.dropFirst(8).allSatisfy { $0 == ConnectionLimit.longestPatience })
    }

    @Test("A try that goes well makes the next one soon again")
    func recovers() {
        var limit = settled(at: 2)
        _ = limit.observed(active: 2, now: .seconds(2))
        _ = limit.refused(askedAt: .seconds(2), others: others(2), now: .seconds(2))
        #expect(limit.observed(active: 2, now: .seconds(6)) == 3)
        limit.delivered(askedAt: .seconds(6), count: 3)
        #expect(limit.observed(active: 3, now: .seconds(10)) == 4)
        #expect(limit.observed(active: 4, now: .seconds(12)) == 5)
    }

    @Test("What was found out is told once, when it has settled")
    func finding() {
        var limit = settled(at: 2)
        #expect(limit.takeFinding(at: .milliseconds(999)) == nil)
        #expect(limit.takeFinding(at: .seconds(1)) == 2)
        #expect(limit.takeFinding(at: .seconds(2)) == nil)
        _ = limit.observed(active: 2, now: .seconds(2))
        _ = limit.refused(askedAt: .seconds(2), others: others(2), now: .seconds(2))
        #expect(limit.takeFinding(at: .seconds(9)) == nil)
        var short = settled(at: 3)
        #expect(short.takeFinding(at: .zero, isLast: true) == 3)
    }

    @Test("A number that was never borne is not told: those that wait for their answer may be refused, too")
    func unborneFinding() {
        var limit = limit()
        for count in 1...2 { limit.delivered(askedAt: .zero, count: count) }
        for awaited in 4...5 { _ = limit.refused(askedAt: .zero, others: others(2, awaited), now: .zero) }
        #expect(limit.permitted(at: .zero) == 6)
        #expect(limit.takeFinding(at: .seconds(9)) == nil)
        #expect(limit.takeFinding(at: .seconds(9), isLast: true) == nil)
        for awaited in 0...3 { _ = limit.refused(askedAt: .zero, others: others(2, awaited), now: .seconds(9)) }
        #expect(limit.takeFinding(at: .seconds(10)) == 2)
    }

    @Test("Refusals that meant something else are forgotten")
    func restores() {
        var limit = settled(at: 2)
        limit.restore(100)
        #expect(limit.permitted(at: .zero) == 8)
        #expect(limit.takeFinding(at: .seconds(9)) == nil)
    }

    @Test("In no order of events does it permit none, or more than are wanted", arguments: 0..<500 as Range<UInt64>)
    func everyOrder(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let maximum = Int.random(in: 1...12, using: &random)
        var limit = limit(maximum)
        var now = Duration.zero
        var isSound = true
        for _ in 0..<400 {
            now += .milliseconds(Int.random(in: 0...700, using: &random))
            let others = others(
                Int.random(in: 0..<maximum, using: &random),
                Int.random(in: 0..<maximum, using: &random)
            )
            let before = limit.permitted(at: now)
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1:
                let askedAt = now - .milliseconds(Int.random(in: 0...900, using: &random))
                if case .lowered(let count, _) = limit.refused(askedAt: askedAt, others: others, now: now) {
                    isSound = isSound && count >= limit.permitted(at: now)
                }
            case 2, 3: limit.delivered(askedAt: now, count: others.delivering + 1)
            case 4:
                if let grown = limit.observed(active: others.count, now: now) {
                    isSound = isSound && grown == before + 1
                }
            default: limit.restore(Int.random(in: -5...50, using: &random))
            }
            isSound = isSound && (1...maximum).contains(limit.permitted(at: now))
        }
        #expect(isSound)
    }
}
