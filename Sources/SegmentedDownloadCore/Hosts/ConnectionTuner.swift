/// How many connections pay. A state machine without a clock: the times passed in count from the same start.
///
/// It begins with ``firstCount``, and waits until what arrives for all together grows no more. Twice as many are tried first, for
/// as long as that gains a tenth or more; then a quarter fewer, for as long as nearly nothing is lost, where the transfer
/// goes on for long enough that being polite is worth a try. What was found holds for a while, longer each time.
///
/// Not half as many at once: TCP lets those that are left grow slowly into the room of the others (BBR by a quarter in eight
/// round trips), so that a link that two fill would have seemed to need eight.
package struct ConnectionTuner: Sendable {
    /// What is known at one moment.
    package struct Sample: Sendable {
        /// Bytes that have arrived in all, whether TCP hands them over already or not.
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
        /// Fewer than these; the first of them brought so many bytes a second.
        case fewer(than: Int, rate: Double)
        /// None until then.
        case none(until: Duration)
    }

    /// With fewer, short files would be slower than with the default of `-j`.
    package static let firstCount = 8
    /// A number counts as more where it brings this much more.
    private static let gain = 1.1
    /// A number is enough where it brings this part of what more brought.
    private static let enough = 0.95
    /// A number that brings less than this part of it is not waited for.
    private static let clearlyLess = 0.85
    /// Rates are taken over windows of a round trip, which is nearly half of what a request costs on a new connection, or of this.
    private static let leastWindow = Duration.milliseconds(100)
    private static let windowCosts = 0.4
    /// So many windows that are alike make a rate: none is further from their mean than this part of it.
    private static let calmSpan = 4
    private static let calmDeviation = 0.1
    /// Where there are none within so many windows, the later half of them makes one: links and servers are uneven.
    private static let longSpan = 20
    /// New connections connect, ask, and begin slowly: before so many windows they can't be said to gain nothing.
    private static let leastGrowth = 10
    /// Fewer are tried only where the rest takes so many windows: a quarter less may bring a quarter less for a dozen of them.
    private static let windowsWorthIt = 40.0
    private static let firstRest = Duration.seconds(10)
    private static let longestRest = Duration.seconds(60)

    /// How many connections there are to be.
    package private(set) var count: Int
    private let maximum: Int
    private var trial = Trial.present
    private var rest = Self.firstRest
    /// What has just been seen to bring less than twice as many: it need not be tried again.
    private var tooFew = 0
    /// What has just been seen to bring as much as twice as many: there is no risk in going back to it.
    private var enoughCount = Int.max
    /// The shortest that a request took: others waited in a queue that the connections themselves had filled.
    private var leastCost = Duration.seconds(1_000_000)
    /// The most connections that have been in use since there may be so many.
    private var busiest = 0
    /// What each window brought since the present number has been in use, in bytes a second.
    private var rates: [Double] = []
    /// Since when the window under way is measured, and what had come by then.
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
            (tooFew, enoughCount) = (0, .max)
            start(.present, count)
        }
        guard isInUse(sample.busyCount) else {
            rates = []
            window = nil
            return
        }
        leastCost = min(leastCost, sample.requestCost)
        let length = max(Self.leastWindow, leastCost * Self.windowCosts)
        guard let window else {
            self.window = (now, sample.byteCount)
            return
        }
        guard now - window.start >= length else { return }
        rates.append(Double(sample.byteCount - window.byteCount) / (now - window.start).inSeconds)
        self.window = (now, sample.byteCount)
        let left = sample.remaining.map { Double($0) / max(mean(Self.calmSpan), 1) } ?? .infinity
        decide(mayTryFewer: left >= Self.windowsWorthIt * length.inSeconds, now: now)
    }

    /// Whether what comes says something about the present number: all are in use or, where there is no use for so many more, some more.
    private mutating func isInUse(_ busyCount: Int) -> Bool {
        defer { busiest = max(busiest, busyCount) }
        if case .more(let before, _) = trial { return busyCount > before && busyCount <= busiest }
        return busyCount >= count
    }

    private mutating func decide(mayTryFewer: Bool, now: Duration) {
        switch trial {
        case .present:
            guard let rate else { return }
            tryMore(rate, mayTryFewer, now)
        case .more(let before, let rateBefore): decide(before, rateBefore, mayTryFewer, now)
        case .fewer(let before, let rateBefore):
            guard let rate else { return }
            if rate >= Self.enough * rateBefore { return tryFewer(than: count, rateBefore, mayTryFewer, now) }
            // They may still grow into the room of those that went.
            guard rates.count >= Self.longSpan || (isSteady && rate < Self.clearlyLess * rateBefore) else { return }
            settle(on: before, now)
        case .none: break
        }
    }

    /// Decides whether more are worth it.
    private mutating func decide(_ before: Int, _ rateBefore: Double, _ mayTryFewer: Bool, _ now: Duration) {
        // All that came since then: what came last may be a burst.
        if rates.count >= Self.calmSpan, mean(rates.count) >= Self.gain * rateBefore {
            tooFew = before
            // They still grow, at most to what as many would bring if each brought as much as one did before.
            return tryMore(rateBefore * Double(count) / Double(before), mayTryFewer, now)
        }
        let isHarmful = rates.count > Self.calmSpan && mean(Self.calmSpan) < Self.clearlyLess * rateBefore
        if !isHarmful {
            guard rates.count >= Self.leastGrowth, let rate else { return }
            if rate >= Self.gain * rateBefore {
                tooFew = before
                return tryMore(rate, mayTryFewer, now)
            }
            if rate >= Self.enough * rateBefore {
                enoughCount = before
                return tryFewer(than: min(count, busiest), rate, mayTryFewer, now)
            }
        }
        // They are in each other's way.
        tryFewer(than: before, rateBefore, mayTryFewer, now)
    }

    private mutating func tryMore(_ rate: Double, _ mayTryFewer: Bool, _ now: Duration) {
        guard count < maximum else { return tryFewer(than: count, rate, mayTryFewer, now) }
        start(.more(than: count, rate: rate), min(2 * count, maximum))
    }

    private mutating func tryFewer(than number: Int, _ rate: Double, _ mayTryFewer: Bool, _ now: Duration) {
        let less = number - max(1, number / 4)
        let next = number > enoughCount ? max(less, enoughCount) : less
        guard next > tooFew, mayTryFewer || next >= enoughCount else { return settle(on: number, now) }
        start(.fewer(than: number, rate: rate), next)
    }

    private mutating func settle(on number: Int, _ now: Duration) {
        start(.none(until: now + rest), number)
        rest = min(rest * 2, Self.longestRest)
        window = nil
    }

    private mutating func start(_ next: Trial, _ number: Int) {
        trial = next
        count = number
        rates = []
        busiest = 0
    }

    /// What the present number brings; `nil` where that can't be said yet.
    private var rate: Double? {
        let isLong = rates.count >= Self.longSpan
        let mean = mean(isLong ? Self.longSpan / 2 : Self.calmSpan)
        let isCalm = rates.suffix(Self.calmSpan).allSatisfy { abs($0 - mean) <= Self.calmDeviation * mean }
        // That nothing comes, or not yet, says nothing about their number.
        guard mean > 0, isLong || (rates.count >= Self.calmSpan && isCalm) else { return nil }
        return mean
    }

    /// Whether the last windows brought hardly more than as many before them.
    private var isSteady: Bool {
        rates.count >= 2 * Self.calmSpan
            && mean(Self.calmSpan) <= (2 - Self.enough) * mean(Self.calmSpan, before: Self.calmSpan)
    }

    /// The mean of the last windows, as many of them as there are; 0 where there is none.
    private func mean(_ span: Int, before: Int = 0) -> Double {
        let last = rates.dropLast(before).suffix(span)
        return last.reduce(0, +) / Double(max(last.count, 1))
    }
}
