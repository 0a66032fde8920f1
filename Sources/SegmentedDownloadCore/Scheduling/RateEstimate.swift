/// How fast one connection brings bytes: an exponentially weighted average over short windows, so that one drained TCP
/// window does not count as a rate, and the plain average before the first window is full.
struct RateEstimate: Sendable {
    /// Shorter than this, reads show the socket buffer and not the link (HYDRA's rate window).
    static let window = 0.2
    /// The weight of the newest window.
    static let weight = 0.3

    private var average: Double?
    private var windowStart: Double
    private var windowByteCount: Int64 = 0

    /// Starts to measure.
    ///
    /// - Parameters:
    ///   - now: Seconds since the scheduler's start.
    ///   - previous: Bytes a second that the same connection brought before; `nil` where it is new.
    init(now: Double, previous: Double? = nil) {
        windowStart = now
        average = previous
    }

    mutating func received(_ byteCount: Int64, now: Double) {
        windowByteCount += byteCount
        let elapsed = now - windowStart
        guard elapsed >= Self.window else { return }
        let rate = Double(windowByteCount) / elapsed
        average = average.map { $0 + Self.weight * (rate - $0) } ?? rate
        windowStart = now
        windowByteCount = 0
    }

    /// Bytes a second; `nil` where nothing is known yet. A connection that has gone silent loses rate as time passes.
    func bytesPerSecond(now: Double) -> Double? {
        let elapsed = now - windowStart
        guard let average else {
            return windowByteCount > 0 && elapsed > 0 ? Double(windowByteCount) / elapsed : nil
        }
        guard elapsed >= Self.window else { return average }
        return average + Self.weight * (Double(windowByteCount) / elapsed - average)
    }
}
