/// Holds one connection to a number of bytes per second, over all its requests.
///
/// A token bucket without a free first filling: the connection is as if its link transmitted each byte at its time.
/// While it is idle nothing is saved up, so that many short requests are no faster than one long one.
struct Pacer {
    /// What lateness of the thread may be made up for, while a body is sent.
    private static let slack = Duration.milliseconds(100)
    /// Bytes are handed out for about this long, which bounds the wake-ups to some 60 a second.
    private static let grain = 0.016

    private var nextSend = ContinuousClock.now

    /// Called where a body begins: the time before it is lost.
    mutating func begin() {
        nextSend = max(nextSend, .now)
    }

    /// Bytes to hand out at once: no more than is contiguous in a ``PatternTile``.
    static func grainBytes(bytesPerSecond: Int64) -> Int64 {
        min(max(1, Int64(Double(bytesPerSecond) * grain)), Int64(PatternTile.window))
    }

    /// Books bytes, and says how long to wait before they are sent: paid for afterwards, the first ones of each new
    /// connection would be free.
    mutating func pause(before byteCount: Int64, bytesPerSecond: Int64) -> Duration {
        nextSend += .seconds(Double(byteCount) / Double(bytesPerSecond))
        let now = ContinuousClock.now
        nextSend = max(nextSend, now - Self.slack)
        return nextSend - now
    }
}
