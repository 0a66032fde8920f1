/// How fast one connection brings bytes: an average over the last windows that begins anew where the rate has changed.
///
/// A plain moving average is either too short, and follows every lost packet, or too long, and still believes in a
/// connection that has stalled. This one has a long memory, and a two-sided cumulative sum (CUSUM, Page 1954) of the
/// windows' relative deviations: where that exceeds ``threshold``, the windows since the sum was last 0 are all that
/// counts.
struct RateEstimate: Sendable {
    /// Shorter than this, in seconds, reads show the socket buffer and not the link.
    static let window = 0.2
    /// A window waits for so many bytes, since they come in pieces of 16 KiB: a slow connection's rate would jump up
    /// and down.
    private static let leastWindowSize = Double(64 * KiB)
    /// But no longer than this, in seconds.
    private static let longestWindow = 4.0
    /// The windows that the average remembers.
    private static let memory = 15.0
    /// Deviations up to this share of the average are noise.
    private static let slack = 0.25
    /// The sum of deviations, in windows, that is a change: silence is one after two windows.
    private static let threshold = 1.25

    /// A sum of deviations to one side, and what came while it was not 0.
    private struct Drift: Sendable {
        var sum = 0.0
        var windowCount = 0.0
        var rateSum = 0.0

        /// - Returns: The new rate where the sum shows a change.
        mutating func add(_ deviation: Double, rate: Double, weight: Double) -> (rate: Double, windowCount: Double)? {
            sum += (deviation - slack) * weight
            guard sum > 0 else {
                self = Drift()
                return nil
            }
            windowCount += weight
            rateSum += rate * weight
            return sum > threshold ? (rateSum / windowCount, windowCount) : nil
        }
    }

    /// Bytes a second over the windows that have ended; `nil` before the first.
    private(set) var average: Double?
    /// How many windows the average stands for.
    private var windowCount = 0.0
    private var windowStart = 0.0
    private var windowByteCount: Int64 = 0
    private var rise = Drift()
    private var fall = Drift()
    /// The shortest window: a round trip's burst and the silence after it belong together.
    private var leastWindow = RateEstimate.window
    /// The time that the window has lasted, where nothing is measured at present.
    private var pausedAfter = 0.0

    /// Goes on measuring at a request's first byte. The window goes on, too: short requests would never fill one.
    ///
    /// - Parameters:
    ///   - now: Seconds since the scheduler's start.
    ///   - roundTrip: Seconds; the window is no shorter.
    mutating func resume(now: Double, roundTrip: Double) {
        windowStart = now - pausedAfter
        leastWindow = min(max(Self.window, roundTrip), Self.longestWindow)
    }

    /// Stops measuring at a request's end.
    mutating func pause(now: Double) {
        close(now: now)
        pausedAfter = now - windowStart
    }

    mutating func received(_ byteCount: Int64, now: Double) {
        windowByteCount += byteCount
        close(now: now)
    }

    /// Bytes a second; `nil` where nothing is known yet. A connection that has gone silent loses its rate as time passes.
    func bytesPerSecond(now: Double) -> Double? {
        var estimate = self
        estimate.close(now: now)
        return estimate.average ?? Self.quotient(windowByteCount, now - windowStart)
    }

    /// Bytes a second that were measured until the last pause; `nil` where nothing is known yet.
    var last: Double? { average ?? Self.quotient(windowByteCount, pausedAfter) }

    private static func quotient(_ byteCount: Int64, _ seconds: Double) -> Double? {
        byteCount > 0 && seconds > 0 ? Double(byteCount) / seconds : nil
    }

    /// Ends the window where it is long enough.
    private mutating func close(now: Double) {
        let elapsed = now - windowStart
        guard elapsed >= leastWindow, elapsed >= length else { return }
        count(Double(windowByteCount) / elapsed, weight: elapsed / length)
        windowStart = now
        windowByteCount = 0
    }

    private var length: Double {
        guard let average, average > 0 else { return leastWindow }
        return max(leastWindow, min(Self.leastWindowSize / average, Self.longestWindow))
    }

    private mutating func count(_ rate: Double, weight: Double) {
        guard let average else {
            self.average = rate
            windowCount = weight
            return
        }
        let deviation = average > 0 ? rate / average - 1 : rate > 0 ? .greatestFiniteMagnitude : 0
        let risen = rise.add(deviation, rate: rate, weight: weight)
        let fallen = fall.add(-deviation, rate: rate, weight: weight)
        if let change = risen ?? fallen {
            (self.average, windowCount) = (change.rate, change.windowCount)
            (rise, fall) = (Drift(), Drift())
            return
        }
        windowCount = min(windowCount + weight, Self.memory)
        self.average = average + (rate - average) * min(1, weight / windowCount)
    }
}
