/// Keeps bytes to a rate. Whoever has read bytes takes as many tokens; while the bucket is in debt, nobody may read. A
/// state machine without a clock.
///
/// Debt instead of tokens in advance: how much a read brings is known only afterwards, and a debt is paid exactly, so
/// that over any time the bytes are at most the rate's, what was saved up, and one read.
package struct TokenBucket: Sendable {
    /// How long tokens are saved up at most. Of any 2 s this is 2 %; less would lose rate where a busy machine wakes the
    /// reader late.
    package static let savedTime = 0.04

    /// Bytes a second, at least 1.
    package let bytesPerSecond: Int64
    /// Bytes that may be read; below 0, the debt.
    private var balance = 0.0
    /// When the balance was that, in seconds.
    private var time: Double

    package init(bytesPerSecond: Int64, now: Duration) {
        self.bytesPerSecond = max(bytesPerSecond, 1)
        time = now.inSeconds
    }

    private var capacity: Double { Double(bytesPerSecond) * Self.savedTime }

    private func balance(at now: Double) -> Double {
        min(capacity, balance + max(0, now - time) * Double(bytesPerSecond))
    }

    /// Bytes were read.
    package mutating func take(_ byteCount: Int64, now: Duration) {
        balance = balance(at: now.inSeconds) - Double(byteCount)
        time = max(time, now.inSeconds)
    }

    /// How long until bytes may be read; zero where they may be read now.
    package func wait(now: Duration) -> Duration {
        // Rounded up: at the end of it the debt must be paid, or it would be waited for twice.
        .nanoseconds(Int64((max(0, -balance(at: now.inSeconds)) / Double(bytesPerSecond) * 1e9).rounded(.up)))
    }

    /// Whether bytes wait for tokens: else these are saved up, for want of bytes.
    package func isBinding(now: Duration) -> Bool { balance(at: now.inSeconds) < capacity / 2 }
}
