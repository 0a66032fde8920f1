import SegmentedDownloadCore
import SegmentedDownloadTestSupport

extension LinkScenario {
    /// What may happen to a download's links.
    enum Kind: String, CaseIterable, Sendable {
        /// Nothing: all bear the same.
        case equal
        /// Each bears another rate, all the time.
        case different
        /// Half of them become slower or faster.
        case steps
        /// All share a link that is narrower than their sum, and changes.
        case capped
        /// A few are slow from the start, by 10 to 200 times; new ones may be better.
        case slow
        /// A few stall, for a while or for good; new ones may be better.
        case stalls
        /// Half of them bear a quarter.
        case halves
        /// The server serves fewer at once than are wanted.
        case few
        /// Rates change every half second by up to half.
        case noisy
        /// All share a link far away, on which each one's part changes every half second from next to nothing to twice as much: as
        /// measured where packets are lost.
        case far
        /// Silence and twice the rate, in turns of a tenth to half a second.
        case bursts
        /// One answer in five takes up to a second.
        case lateAnswers
    }

    /// A scenario that is the same each time.
    ///
    /// 2 to 20 s long, at least 64 MiB, over 2 to 16 connections of 0.5 to 64 MB/s each, and round trips of 1 to
    /// 200 ms.
    static func random(_ kind: Kind, seed: Int) -> LinkScenario {
        var random = SeededRandom(seed: UInt64(seed))
        let jobs = [2, 4, 8, 8, 8, 16].randomElement(using: &random) ?? 8
        let rate = 0.5e6 * Double(1 << Int.random(in: 0...6, using: &random)) * Double.random(in: 1..<2, using: &random)
        var scenario = LinkScenario(jobs, at: rate)
        scenario.roundTrip = [0.001, 0.02, 0.05, 0.1, 0.2].randomElement(using: &random) ?? 0.02
        scenario.startsSlowly = Bool.random(using: &random)
        let seconds = Double.random(in: 2...20, using: &random)
        scenario.length = max(64 * MiB, Int64(seconds * rate * Double(jobs)))
        scenario.length += Int64.random(in: 0..<MiB, using: &random)
        scenario.befall(kind, rate, &random)
        return scenario
    }

    private mutating func befall(_ kind: Kind, _ rate: Double, _ random: inout SeededRandom) {
        switch kind {
        case .equal: break
        case .different:
            profiles = profiles.map { _ in RateProfile(rate * Double.random(in: 0.2...1.8, using: &random)) }
        case .steps: profiles = profiles.map { $0.withStep(rate, &random) }
        case .capped: total = .cap(rate * Double(jobs), &random)
        case .slow:
            for index in 0..<Int.random(in: 1...max(1, jobs / 4), using: &random) {
                profiles[index] = RateProfile(rate * Double.random(in: 0.005...0.1, using: &random))
            }
            if Bool.random(using: &random) { replacement = RateProfile(rate) }
        case .stalls:
            for index in 0..<Int.random(in: 1...max(1, jobs / 4), using: &random) {
                profiles[index] = profiles[index].withStall(rate, &random)
            }
            if Bool.random(using: &random) { replacement = RateProfile(rate) }
        case .halves: for index in 0..<jobs / 2 { profiles[index] = RateProfile(rate / 4) }
        case .few: bears = Int.random(in: 1..<jobs, using: &random)
        case .far:
            roundTrip = max(roundTrip, 0.05)
            startsSlowly = true
            total = RateProfile(rate * Double(jobs))
            profiles = profiles.map { _ in .noise(rate * 1.3, by: 0.1...1.9, &random) }
        case .noisy: profiles = profiles.map { _ in .noise(rate, &random) }
        case .bursts: profiles = profiles.map { _ in .bursts(rate, &random) }
        case .lateAnswers:
            answerTimes = (0..<37).map { _ in
                Int.random(in: 0..<5, using: &random) == 0 ? Double.random(in: 0...1, using: &random) : 0.01
            }
        }
    }
}

extension RateProfile {
    fileprivate func withStep(_ rate: Double, _ random: inout SeededRandom) -> RateProfile {
        guard Bool.random(using: &random) else { return self }
        let factor = Bool.random(using: &random) ? 0.25 : 2
        return then(rate * factor, from: Double.random(in: 1...10, using: &random))
    }

    fileprivate func withStall(_ rate: Double, _ random: inout SeededRandom) -> RateProfile {
        let start = Double.random(in: 0.1...12, using: &random)
        let stalled = then(0, from: start)
        guard Bool.random(using: &random) else { return stalled }
        return stalled.then(rate, from: start + Double.random(in: 0.2...5, using: &random))
    }

    fileprivate static func cap(_ sum: Double, _ random: inout SeededRandom) -> RateProfile {
        RateProfile(sum * Double.random(in: 0.2...0.9, using: &random))
            .then(sum * Double.random(in: 0.2...0.9, using: &random), from: Double.random(in: 1...10, using: &random))
    }

    fileprivate static func noise(
        _ rate: Double,
        by factors: ClosedRange<Double> = 0.5...1.5,
        _ random: inout SeededRandom
    ) -> RateProfile {
        var profile = RateProfile(rate)
        for step in 1..<80 {
            profile = profile.then(rate * Double.random(in: factors, using: &random), from: Double(step) / 2)
        }
        return profile
    }

    fileprivate static func bursts(_ rate: Double, _ random: inout SeededRandom) -> RateProfile {
        var profile = RateProfile(rate)
        var time = 0.0
        for step in 0..<80 {
            time += Double.random(in: 0.1...0.5, using: &random)
            profile = profile.then(step % 2 == 0 ? 0 : rate * 2, from: time)
        }
        return profile.then(rate, from: time + 0.1)
    }
}
