/// The rate over the last seconds. It has no clock of its own: whoever adds a sample says when it was taken.
package struct RateMeter: Sendable {
    private struct Sample {
        var time: Duration
        var byteCount: Int64
    }

    private let window: Duration
    private var samples: [Sample] = []

    /// A meter.
    ///
    /// - Parameter window: The span that the rate is the mean of.
    package init(window: Duration = .seconds(5)) {
        self.window = window
    }

    /// Adds a sample.
    ///
    /// - Parameters:
    ///   - byteCount: Bytes held so far. Fewer than before, since a download began again, forgets what was measured.
    ///   - time: When, from any fixed moment on. Times that run backwards are left out.
    package mutating func add(byteCount: Int64, at time: Duration) {
        if let last = samples.last {
            guard time > last.time else { return }
            if byteCount < last.byteCount { samples.removeAll() }
        }
        samples.append(Sample(time: time, byteCount: byteCount))
        // One sample at or before the window's start stays, as the base.
        while samples.count > 2, time - samples[1].time >= window { samples.removeFirst() }
    }

    /// The shortest time that says anything: what stands ready at the start comes within microseconds.
    private static let leastSpan = Duration.milliseconds(100)

    /// Bytes a second; `nil` before there are two samples that are far enough apart.
    package var bytesPerSecond: Double? {
        guard let first = samples.first, let last = samples.last, last.time - first.time >= Self.leastSpan
        else { return nil }
        return Double(last.byteCount - first.byteCount) / (last.time - first.time).inSeconds
    }

    /// Seconds until so many bytes have come, rounded up; `nil` where nothing comes or it takes more than 100 days.
    package func secondsLeft(for byteCount: Int64) -> Int64? {
        guard byteCount > 0 else { return 0 }
        guard let rate = bytesPerSecond, rate > 0 else { return nil }
        let seconds = (Double(byteCount) / rate).rounded(.up)
        return seconds < 100 * 86400 ? Int64(seconds) : nil
    }
}
