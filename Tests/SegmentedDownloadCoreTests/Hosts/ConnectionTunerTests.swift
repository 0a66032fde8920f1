import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

@Suite struct ConnectionTunerTests {
    /// A link on which each connection brings at most so much and all together no more than the whole takes; a new
    /// connection grows to its share within a few round trips.
    private struct Link {
        var perConnection: Double
        var total: Double
        var roundTrip = 0.02
        /// The part by which what is measured is off, at most.
        var noise = 0.0

        /// The smallest number within 5 % of the best of 64.
        var needed: Int {
            (1...64).first { rate($0) >= 0.95 * rate(64) } ?? 64
        }

        func rate(_ count: Int) -> Double { min(Double(count) * perConnection, total) }
    }

    private struct Outcome {
        var seconds: Double
        var counts: [Int]
    }

    /// Downloads `length` bytes; the connections' rate follows their number within some round trips.
    private func download(_ length: Double, over link: Link, seed: UInt64 = 1) -> Outcome {
        var random = SeededRandom(seed: seed)
        var tuner = ConnectionTuner(maximum: 64)
        var outcome = Outcome(seconds: 0, counts: [])
        var received = 0.0
        var rate = 0.0
        let step = 0.1
        while received < length {
            let target = link.rate(tuner.count)
            // A connection that ends takes its rate along at once; a new one has to grow.
            rate = min(target, rate + target * step / (5 * link.roundTrip))
            received += rate * step * (1 + link.noise * Double.random(in: -1...1, using: &random))
            outcome.seconds += step
            tuner.observe(
                .init(
                    byteCount: Int64(received),
                    busyCount: tuner.count,
                    remaining: Int64(max(0, length - received)),
                    requestCost: .seconds(link.roundTrip)
                ),
                now: .seconds(outcome.seconds)
            )
            outcome.counts.append(tuner.count)
        }
        return outcome
    }

    private func best(_ length: Double, over link: Link) -> Double { length / link.rate(64) }

    @Test("Where each connection is held back, as many as pay are used, soon")
    func heldBack() {
        for (perConnection, total) in [(4e6, 64e6), (4e6, 1e12), (1e6, 40e6), (20e6, 100e6)] {
            let link = Link(perConnection: perConnection, total: total)
            let outcome = download(link.rate(64) * 60, over: link)
            #expect(outcome.seconds <= 60 * 1.1, "\(link): \(outcome.seconds) s")
            #expect(outcome.counts.suffix(100).max() ?? 0 <= 2 * link.needed, "\(link): \(outcome.counts)")
        }
    }

    @Test("On a link that one connection fills, few are left")
    func polite() {
        let link = Link(perConnection: 25e6, total: 25e6)
        let outcome = download(25e6 * 60, over: link)
        #expect(outcome.counts[100] <= 2, "\(outcome.counts)")
        #expect(outcome.seconds <= 61)
    }

    @Test("A dozen seconds are enough to find it, near and far", arguments: [0.01, 0.05, 0.2])
    func soon(roundTrip: Double) {
        for (perConnection, total) in [(4e6, 128e6), (4e6, 32e6), (10e6, 42e6), (25e6, 25e6), (100e6, 200e6)] {
            let link = Link(perConnection: perConnection, total: total, roundTrip: roundTrip)
            let length = link.rate(64) * 12
            let fixed = 12 + 5 * roundTrip
            let outcome = download(length, over: link)
            #expect(outcome.seconds <= max(fixed * 1.1, fixed + 1), "\(link): \(outcome.seconds) s, \(outcome.counts)")
            let last = outcome.counts.suffix(outcome.counts.count / 2).sorted()
            #expect(last[last.count / 2] <= 2 * link.needed, "\(link): \(outcome.counts)")
        }
    }

    @Test("What gains nothing is given up, however little is left")
    func givenUp() {
        let link = Link(perConnection: 4e6, total: 32e6)
        let outcome = download(32e6 * 3, over: link)
        #expect(outcome.counts.contains(16))
        #expect(outcome.counts.last == 8, "\(outcome.counts)")
    }

    @Test("A short download is one with 8 connections")
    func short() {
        let link = Link(perConnection: 1e9, total: 1e9)
        #expect(download(0.4e9, over: link).counts.allSatisfy { $0 == ConnectionTuner.firstCount })
    }

    @Test("Noise neither keeps it from a good number nor makes it wander", arguments: 1...50 as ClosedRange<UInt64>)
    func noise(seed: UInt64) {
        let link = Link(perConnection: 4e6, total: 60e6, noise: 0.1)
        let outcome = download(60e6 * 100, over: link, seed: seed)
        #expect(outcome.seconds <= 100 * 1.1, "\(outcome.seconds) s")
        #expect(outcome.counts.max() ?? 0 <= 64)
        let last = outcome.counts.suffix(300)
        #expect(last.reduce(0, +) / last.count <= 2 * link.needed + 2)
    }

    @Test("Connections with nothing to do say nothing about their number")
    func idle() {
        var tuner = ConnectionTuner(maximum: 64)
        for tick in 0..<100 {
            let sample = ConnectionTuner.Sample(
                byteCount: Int64(tick) * 1_000_000,
                busyCount: 7,
                remaining: nil,
                requestCost: .milliseconds(20)
            )
            tuner.observe(sample, now: .milliseconds(100 * tick))
        }
        #expect(tuner.count == ConnectionTuner.firstCount)
    }

    @Test("It never asks for more than there may be, nor for none", arguments: [1, 2, 3, 5, 8, 12])
    func bounds(maximum: Int) {
        var tuner = ConnectionTuner(maximum: maximum)
        var random = SeededRandom(seed: UInt64(maximum))
        var received: Int64 = 0
        for tick in 0..<2000 {
            received += Int64.random(in: 0...10_000_000, using: &random)
            let sample = ConnectionTuner.Sample(
                byteCount: received,
                busyCount: tuner.count,
                remaining: nil,
                requestCost: .milliseconds(20)
            )
            tuner.observe(sample, now: .milliseconds(100 * tick))
            #expect((1...maximum).contains(tuner.count))
        }
    }
}
