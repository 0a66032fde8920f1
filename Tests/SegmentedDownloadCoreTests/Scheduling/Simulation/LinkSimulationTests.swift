import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

/// How far the scheduler is from the optimum, over links that a seed makes up.
@Suite struct LinkSimulationTests {
    /// Pure code of one thread: the first ones show all of it to a sanitizer, which takes twenty times as long. A mean is
    /// one of many.
    private static let seeds = 0..<(Sanitizer.isActive ? 10 : 150)
    /// Seconds in which a stall is noticed: two windows of a rate, and a tick.
    private static let detection = 1.0

    /// What many scenarios came to, each as a multiple of its optimum.
    private struct Distribution: CustomStringConvertible {
        private(set) var ratios: [Double] = []
        private var requestCount = 0

        mutating func add(_ outcome: LinkSimulation.Outcome, of scenario: LinkScenario) {
            // Faster than the optimum is who replaced a bad connection by a good one: not to make up for others.
            ratios.append(max(1, outcome.seconds / scenario.optimum))
            requestCount += outcome.requestCount
        }

        var mean: Double { ratios.reduce(0, +) / Double(ratios.count) }

        var description: String {
            let sorted = ratios.sorted()
            let quantiles = [50, 90, 95, 99, 100].map { percent in
                "\(percent) %: \(sorted[(sorted.count - 1) * percent / 100])"
            }
            return "mean \(mean), \(quantiles.joined(separator: ", ")), "
                + "\(Double(requestCount) / Double(ratios.count)) requests"
        }
    }

    private static func play(_ kind: LinkScenario.Kind, inOrder isOrdered: Bool = false) -> Distribution {
        var distribution = Distribution()
        for seed in seeds {
            var scenario = LinkScenario.random(kind, seed: seed)
            scenario.isOrdered = isOrdered
            let outcome = LinkSimulation.outcome(of: scenario)
            distribution.add(outcome, of: scenario)
            #expect(outcome.isExact, "\(kind) \(seed): each byte once")
            let slack = detection + 3 * scenario.roundTrip + 2 * (scenario.answerTimes.max() ?? 0)
            // Who can't be foretold is foretold worse.
            let factor = isOrdered ? 1.3 : kind == .bursts ? 1.2 : 1.15
            #expect(
                outcome.seconds <= factor * scenario.optimum + slack,
                "\(kind) \(seed): \(outcome) against \(scenario.optimum)"
            )
            if isOrdered { expectShortLag(outcome, of: scenario, "\(kind) \(seed)") }
        }
        return distribution
    }

    /// The contiguous bytes lag no more than three leases a connection behind, and what comes in three seconds.
    private static func expectShortLag(_ outcome: LinkSimulation.Outcome, of scenario: LinkScenario, _ name: String) {
        let rate = scenario.profiles.reduce(0) { $0 + $1.bytesPerSecond(at: 0) }
        let sum = min(rate, scenario.total.bytesPerSecond(at: 0))
        let count = Double(scenario.jobs)
        let leaseSize = max(Double(4 * MiB), 40 * scenario.roundTrip * sum / count)
        let bound = 3 * count * leaseSize + 3 * sum
        #expect(Double(outcome.largestLag) <= bound, "\(name): \(outcome) against \(bound)")
    }

    @Test(
        "Connections finish together, near the optimum, whatever happens to their links",
        arguments: [
            (LinkScenario.Kind.equal, 1.03), (.different, 1.03), (.steps, 1.03), (.capped, 1.03), (.slow, 1.03),
            (.stalls, 1.03), (.halves, 1.03), (.few, 1.03), (.noisy, 1.03), (.far, 1.04), (.bursts, 1.11),
            (.lateAnswers, 1.08),
        ]
    )
    func finishTogether(kind: LinkScenario.Kind, mean: Double) {
        let distribution = Self.play(kind)
        #expect(Sanitizer.isActive || distribution.mean <= mean, "\(kind): \(distribution)")
    }

    @Test(
        "A file that is wanted in order comes in order, for some percent of the time",
        arguments: [
            (LinkScenario.Kind.equal, 1.05), (.different, 1.06), (.steps, 1.06), (.capped, 1.05), (.slow, 1.05),
            (.stalls, 1.06), (.halves, 1.07), (.few, 1.05), (.noisy, 1.06), (.far, 1.06),
        ]
    )
    func inOrder(kind: LinkScenario.Kind, mean: Double) {
        let distribution = Self.play(kind, inOrder: true)
        #expect(Sanitizer.isActive || distribution.mean <= mean, "\(kind): \(distribution)")
    }

    // MARK: - One by one

    private static let rate = 4e6

    private static func scenario(_ count: Int, _ change: (inout LinkScenario) -> Void = { _ in }) -> LinkScenario {
        var scenario = LinkScenario(count, at: rate)
        scenario.length = 256 * MiB
        change(&scenario)
        return scenario
    }

    @Test("Equal connections make one request each")
    func equal() {
        let outcome = LinkSimulation.outcome(of: Self.scenario(8))
        #expect(outcome.requestCount == 8 && outcome.theftCount == 0)
    }

    @Test(
        "One of eight connections at 20 KB/s costs little, whether a new one is better or not",
        arguments: [nil, rate]
    )
    func slowOne(replacement: Double?) {
        let slow = Self.scenario(8) { scenario in
            scenario.profiles[3] = RateProfile(20e3)
            scenario.replacement = replacement.map { RateProfile($0) }
        }
        let outcome = LinkSimulation.outcome(of: slow)
        #expect(outcome.seconds <= 1.02 * LinkSimulation.outcome(of: Self.scenario(7)).seconds, "\(outcome)")
    }

    @Test(
        "A connection that stalls for good costs little, and not the stall timeout",
        arguments: [
            0.5, 4.0, 7.0, 8.0, 8.3,
        ]
    )
    func stall(time: Double) {
        let stalled = Self.scenario(8) { $0.profiles[3] = RateProfile(Self.rate).then(0, from: time) }
        let outcome = LinkSimulation.outcome(of: stalled)
        #expect(outcome.seconds <= 1.2 * LinkSimulation.outcome(of: Self.scenario(8)).seconds, "\(outcome)")
    }

    @Test(
        "Half of the connections at a quarter of the others' rate: one theft each, so that all end together",
        arguments: Sanitizer.isActive ? [8, 64] : [8, 64, 512]
    )
    func halves(count: Int) {
        let halves = Self.scenario(count) { scenario in
            for index in 0..<count / 2 { scenario.profiles[index] = RateProfile(Self.rate / 4) }
            scenario.length = Int64(count) * 32 * MiB
        }
        let outcome = LinkSimulation.outcome(of: halves)
        #expect(outcome.seconds <= 1.01 * halves.optimum, "\(outcome)")
        #expect(outcome.theftCount == count / 2, "\(outcome)")
    }

    @Test(
        "A host whose every answer takes one to three seconds keeps all its connections, and the time is theirs",
        arguments: [4e6, 20e6, 100e6]
    )
    func lateHost(rate: Double) {
        for seed in Self.seeds {
            var random = SeededRandom(seed: UInt64(seed))
            let late = Self.scenario(8) { scenario in
                scenario.profiles = LinkScenario(8, at: rate).profiles
                scenario.answerTimes = (0..<37).map { _ in Double.random(in: 1...3, using: &random) }
            }
            let outcome = LinkSimulation.outcome(of: late)
            #expect(outcome.limit == 8, "\(seed): \(outcome)")
            let bound = 1.15 * late.optimum + 3 + Self.detection
            #expect(outcome.seconds <= bound, "\(seed): \(outcome) against \(late.optimum)")
        }
    }

    @Test("A host that never answers those beyond what it bears is found out", arguments: [1, 2, 4, 7])
    func silentSurplus(count: Int) {
        let silent = Self.scenario(8) { ($0.bears, $0.isSurplusSilent) = (count, true) }
        let outcome = LinkSimulation.outcome(of: silent)
        #expect(outcome.limit == count, "\(outcome)")
        #expect(outcome.seconds <= 1.1 * silent.optimum, "\(outcome) against \(silent.optimum)")
    }

    @Test("On a fast link, where workers drain one connection after the other, hardly anything is taken")
    func fast() {
        let fast = Self.scenario(8) { scenario in
            scenario.roundTrip = 0.0003
            scenario.total = RateProfile(2e9)
            scenario.profiles = (0..<8).map { connection in
                (1..<100).reduce(RateProfile(250e6)) { profile, step in
                    profile.then((step + connection) % 8 == 0 ? 1e9 : 150e6, from: Double(step) * 0.005)
                }
            }
        }
        let outcome = LinkSimulation.outcome(of: fast)
        #expect(outcome.requestCount == 8 && outcome.theftCount == 0, "\(outcome)")
    }
}
