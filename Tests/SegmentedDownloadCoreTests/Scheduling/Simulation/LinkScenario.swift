import SegmentedDownloadCore

/// A file, and the links that it comes over: what a ``LinkSimulation`` plays.
struct LinkScenario: Sendable {
    var length = 64 * MiB
    var segmentSize = 256 * KiB
    var isOrdered = false
    /// Seconds.
    var roundTrip = 0.02
    /// Whether a TCP connection's window begins at ten packets and doubles with each round trip.
    var startsSlowly = false
    /// By connection: what its TCP connection bears.
    var profiles: [RateProfile]
    /// What a TCP connection bears that takes the place of another one; `nil` where the path decides, so that it
    /// bears the same.
    var replacement: RateProfile?
    /// What all share fairly.
    var total = RateProfile(.infinity)
    /// Seconds that the server thinks before it answers, by request, over and over.
    var answerTimes = [0.0]
    /// How many requests the server serves at once.
    var bears = Int.max
    /// Whether it answers those beyond never, instead of refusing them.
    var isSurplusSilent = false

    var jobs: Int { profiles.count }

    init(_ profiles: [RateProfile]) {
        self.profiles = profiles
    }

    /// So many connections of the same rate.
    init(_ count: Int, at bytesPerSecond: Double) {
        profiles = Array(repeating: RateProfile(bytesPerSecond), count: count)
    }

    /// A connection's window over the round trip, so many seconds after its first byte.
    func windowRate(after seconds: Double) -> Double {
        guard startsSlowly, roundTrip > 0, seconds < 40 * roundTrip else { return .infinity }
        var rate = Self.firstWindow / roundTrip
        var time = roundTrip
        while time <= seconds + 1e-9 {
            rate *= 2
            time += roundTrip
        }
        return rate
    }

    private static let firstWindow = 14_600.0
}

// MARK: - The optimum

extension LinkScenario {
    /// When a file of infinitely divisible bytes would be there whose connections open once and never idle: the sum
    /// of their rates over time, within the total, from the first possible byte on.
    var optimum: Double {
        var time = 2 * roundTrip
        var missing = Double(length)
        while true {
            let next = nextChange(after: time)
            let rate = sum(at: time)
            if rate * (next - time) >= missing { return time + missing / rate }
            guard next.isFinite else { return .infinity }
            missing -= rate * (next - time)
            time = next
        }
    }

    private func sum(at time: Double) -> Double {
        let window = windowRate(after: time - 2 * roundTrip)
        let rates = profiles.map { min($0.bytesPerSecond(at: time), window) }.sorted(by: >)
        return min(rates.prefix(bears).reduce(0, +), total.bytesPerSecond(at: time))
    }

    private func nextChange(after time: Double) -> Double {
        let steps = (profiles + [total]).map { $0.nextChange(after: time) }.min() ?? .infinity
        guard windowRate(after: time - 2 * roundTrip).isFinite else { return steps }
        let doublings = ((time - 2 * roundTrip) / roundTrip + 1e-9).rounded(.down) + 1
        return min(steps, 2 * roundTrip + doublings * roundTrip)
    }
}
