/// How many connections pay. A state machine without a clock: the times passed in count from the same start.
///
/// It begins with ``firstCount``, and measures what all bring together. Twice as many are tried first, for as long as
/// that gains a tenth or more, and given up where it does not; then half as many, for as long as nearly nothing is lost, where the
/// transfer goes on for long enough that being polite is worth a try. What was found holds for a while, longer each time.
package struct ConnectionTuner: Sendable {
    /// What is known at one moment.
    package struct Sample: Sendable {
        /// Bytes that have come in all.
        package var byteCount: Int64
        /// Connections that have something to do.
        package var busyCount: Int
        /// Bytes that are still to come; `nil` where nobody knows.
        package var remaining: Int64?
        /// The time from a request to its first byte.
        package var requestCost: Duration

        package init(byteCount: Int64, busyCount: Int, remaining: Int64?, requestCost: Duration) {
            self.byteCount = byteCount
            self.busyCount = busyCount
            self.remaining = remaining
            self.requestCost = requestCost
        }
    }

    private enum Trial: Equatable {
        /// What the present number brings.
        case present
        /// More than these, which brought so many bytes a second.
        case more(than: Int, rate: Double)
        /// Fewer than these; `rate` is the most that was seen.
        case fewer(than: Int, rate: Double)
        /// None until then.
        case none(until: Duration)
    }

    /// With fewer, short files would be slower than with the default of `-j`.
    package static let firstCount = 8
    /// A number counts as more where it brings this much more.
    private static let gain = 1.1
    /// A number is enough where it brings this part of the best.
    private static let enough = 0.95
    /// The shortest time that a number is measured for, after the shortest time for it to take effect.
    private static let leastSpan = Duration.milliseconds(300)
    private static let leastSettling = Duration.milliseconds(200)
    /// They last at least so many request costs: new connections have to connect and to grow.
    private static let settlingCosts = 4
    private static let spanCosts = 2
    /// Fewer are tried only where the rest takes so many trials' time: half as many may bring half as much, which then costs a
    /// tenth of it.
    private static let trialsWorthIt = 5.0
    private static let firstRest = Duration.seconds(10)
    private static let longestRest = Duration.seconds(60)

    /// How many connections there are to be.
    package private(set) var count: Int
    private let maximum: Int
    private var trial = Trial.present
    private var rest = Self.firstRest
    /// What has just been seen to bring less than twice as many: it need not be tried again.
    private var tooFew: Int?
    /// When the present number began to be in use, and what is measured since when.
    private var inUseSince: Duration?
    private var window: (start: Duration, byteCount: Int64)?

    /// - Parameter maximum: The most that there may be, at least 1.
    package init(maximum: Int) {
        self.maximum = max(maximum, 1)
        count = min(Self.firstCount, self.maximum)
    }

    /// Takes a look; to be called several times a second.
    package mutating func observe(_ sample: Sample, now: Duration) {
        if case .none(let end) = trial {
            guard now >= end else { return }
            tooFew = nil
            start(.present, count)
        }
        guard sample.busyCount >= count else {
            // Not all are in use: what they bring says nothing about their number.
            inUseSince = nil
            window = nil
            return
        }
        let since = inUseSince ?? now
        inUseSince = since
        let settling = max(Self.leastSettling, sample.requestCost * Self.settlingCosts)
        guard now - since >= settling else { return }
        guard let window else {
            self.window = (now, sample.byteCount)
            return
        }
        let span = max(Self.leastSpan, sample.requestCost * Self.spanCosts)
        guard now - window.start >= span else { return }
        let rate = Double(sample.byteCount - window.byteCount) / (now - window.start).inSeconds
        let trialTime = (settling + span).inSeconds
        let left = sample.remaining.map { Double($0) / max(rate, 1) } ?? .infinity
        decide(rate, mayTryFewer: left >= Self.trialsWorthIt * trialTime, now: now)
    }

    private mutating func decide(_ rate: Double, mayTryFewer: Bool, now: Duration) {
        switch trial {
        case .present: tryMore(rate, mayTryFewer, now)
        case .more(let before, let rateBefore):
            if rate >= Self.gain * rateBefore {
                tooFew = before
                return tryMore(rate, mayTryFewer, now)
            }
            tryFewer(than: before, max(rate, rateBefore), mayTryFewer, now)
        case .fewer(let before, let best):
            if rate >= Self.enough * best { return tryFewer(than: count, best, mayTryFewer, now) }
            settle(on: before, now)
        case .none: break
        }
    }

    private mutating func tryMore(_ rate: Double, _ mayTryFewer: Bool, _ now: Duration) {
        guard count < maximum else { return tryFewer(than: count, rate, mayTryFewer, now) }
        start(.more(than: count, rate: rate), min(2 * count, maximum))
    }

    private mutating func tryFewer(than number: Int, _ best: Double, _ mayTryFewer: Bool, _ now: Duration) {
        guard number > 1, number / 2 != tooFew, mayTryFewer else { return settle(on: number, now) }
        start(.fewer(than: number, rate: best), number / 2)
    }

    private mutating func settle(on number: Int, _ now: Duration) {
        start(.none(until: now + rest), number)
        rest = min(rest * 2, Self.longestRest)
    }

    private mutating func start(_ next: Trial, _ number: Int) {
        trial = next
        count = number
        inUseSince = nil
        window = nil
    }
}
