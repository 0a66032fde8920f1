/// How many connections pay. A state machine without a clock: the times passed in count from the same start.
///
/// It begins with ``firstCount``, and waits until what all bring together grows no more. Twice as many are tried first, for as long as
/// that gains a tenth or more; then a quarter fewer, for as long as nearly nothing is lost, where the transfer goes on for
/// long enough that being polite is worth a try. What was found holds for a while, longer each time.
///
/// Not half as many at once: TCP lets those that are left grow slowly into the room of the others (BBR by a quarter in eight
/// round trips), so that a link that two fill would have seemed to need eight.
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
        /// Fewer than these; the first of them brought so many bytes a second.
        case fewer(than: Int, rate: Double)
        /// None until then.
        case none(until: Duration)
    }

    /// With fewer, short files would be slower than with the default of `-j`.
    package static let firstCount = 8
    /// A number counts as more where it brings this much more.
    private static let gain = 1.1
    /// Where it brings this much more, that is so although its connections still grow.
    private static let clearGain = 1.2
    /// Where it brings so much less, its connections are not waited for.
    private static let clearLoss = 0.8
    /// A number is enough where it brings this part of what more brought.
    private static let enough = 0.95
    /// Rates are taken over windows of a round trip, about half of what a request costs on a new connection, or of this.
    private static let leastWindow = Duration.milliseconds(100)
    /// The mean of so many windows is what more connections bring.
    private static let growthSpan = 2
    /// New connections connect, ask, and begin slowly: before so many windows they can't be said to gain nothing.
    private static let leastGrowth = 6
    /// The mean of so many windows is what fewer connections bring: half of the time in which TCP looks for room once.
    private static let regrowthSpan = 4
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
        guard sample.busyCount >= count else {
            // Not all are in use: what they bring says nothing about their number.
            rates = []
            window = nil
            return
        }
        let length = max(Self.leastWindow, sample.requestCost / 2)
        guard let window else {
            self.window = (now, sample.byteCount)
            return
        }
        guard now - window.start >= length else { return }
        rates.append(Double(sample.byteCount - window.byteCount) / (now - window.start).inSeconds)
        self.window = (now, sample.byteCount)
        let left = sample.remaining.map { Double($0) / max(mean(Self.growthSpan), 1) } ?? .infinity
        decide(mayTryFewer: left >= Self.windowsWorthIt * length.inSeconds, now: now)
    }

    private mutating func decide(mayTryFewer: Bool, now: Duration) {
        switch trial {
        case .present:
            guard isSteady(over: Self.growthSpan) else { return }
            tryMore(mayTryFewer, now)
        case .more(let before, let rateBefore): decide(before, rateBefore, mayTryFewer, now)
        case .fewer(let before, let rateBefore):
            // The first window has what the others had under way.
            if rates.count > Self.regrowthSpan, mean(Self.regrowthSpan) >= Self.enough * rateBefore {
                return tryFewer(than: count, rateBefore, mayTryFewer, now)
            }
            guard isSteady(over: Self.regrowthSpan) else { return }
            settle(on: before, now)
        case .none: break
        }
    }

    /// Decides whether more are worth it.
    private mutating func decide(_ before: Int, _ rateBefore: Double, _ mayTryFewer: Bool, _ now: Duration) {
        guard rates.count >= Self.growthSpan else { return }
        let rate = mean(Self.growthSpan)
        let isKnown = rates.count >= Self.leastGrowth && isSteady(over: Self.growthSpan)
        if rate >= (isKnown ? Self.gain : Self.clearGain) * rateBefore {
            tooFew = before
            return tryMore(mayTryFewer, now)
        }
        if rate < (isKnown ? Self.enough : Self.clearLoss) * rateBefore {
            // They are in each other's way.
            return tryFewer(than: before, rateBefore, mayTryFewer, now)
        }
        guard isKnown else { return }
        enoughCount = before
        tryFewer(than: count, rate, mayTryFewer, now)
    }

    private mutating func tryMore(_ mayTryFewer: Bool, _ now: Duration) {
        let rate = mean(Self.growthSpan)
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
    }

    /// The mean of the last windows, as many of them as there are.
    private func mean(_ span: Int, before: Int = 0) -> Double {
        let last = rates.dropLast(before).suffix(span)
        return last.reduce(0, +) / Double(max(last.count, 1))
    }

    /// Whether the last windows brought hardly more than as many before them. In its slow start, TCP doubles from one to the next.
    private func isSteady(over span: Int) -> Bool {
        rates.count >= 2 * span && mean(span) < Self.gain * mean(span, before: span)
    }
}
