import Foundation
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

/// A link, and the TCP connections over it. Rates are in bytes a second, times in seconds.
private struct Path {
    /// What a connection brings at most.
    var perConnection = Double.infinity
    /// What all bring together at most.
    var total: Double
    var roundTrip = 0.02
    /// The part by which what came in one step is off, at most.
    var noise = 0.0
    /// More than these are in each other's way, and bring six tenths of `total`.
    var bearable = Int.max

    static let step = 0.01

    private struct Connection {
        var age = 0.0
        var rate = 0.0
        var isInSlowStart = true
    }
    private var connections: [Connection] = []
    private var time = 0.0
    /// Lost packets hold back what comes until then, and this part of what comes in the present round trip.
    private var recovery = (end: 0.0, turn: -1, part: 0.0)
    /// What is held back.
    private var backlog = 0.0

    init(perConnection: Double, total: Double, roundTrip: Double = 0.02, noise: Double = 0, bearable: Int = .max) {
        self.perConnection = min(perConnection, total)
        self.total = total
        self.roundTrip = roundTrip
        self.noise = noise
        self.bearable = bearable
    }

    /// The smallest number within 5 % of the best of 64.
    var needed: Int {
        let rates = (1...64).map(rate)
        let enough = 0.95 * (rates.max() ?? 0)
        return (rates.firstIndex { $0 >= enough } ?? 63) + 1
    }

    private func rate(_ count: Int) -> Double { min(Double(count) * perConnection, bound(count)) }

    private func bound(_ count: Int) -> Double { count > bearable ? 0.6 * total : total }

    /// The bytes that come in one step. New connections need two round trips for their first byte, and then nearly double with
    /// each; where they fill the link they share it, and lose packets. What others leave, they take by a quarter in eight round trips.
    mutating func advance(_ count: Int, _ random: inout SeededRandom) -> Double {
        time += Self.step
        connections.removeLast(max(0, connections.count - count))
        while connections.count < count { connections.append(Connection()) }
        for index in connections.indices { grow(&connections[index]) }
        let sum = connections.reduce(0) { $0 + $1.rate }
        let excess = sum / bound(count)
        if excess > 1 {
            if connections.contains(where: { $0.isInSlowStart && $0.rate > 0 }) { recovery.end = time + 10 * roundTrip }
            for index in connections.indices {
                connections[index].rate /= excess
                connections[index].isInSlowStart = false
            }
        }
        let arrived = sum / max(excess, 1) * Self.step
        return deliver(arrived, &random) * (1 + noise * Double.random(in: -1...1, using: &random))
    }

    /// What TCP hands over of what has arrived: behind a lost packet all waits.
    private mutating func deliver(_ arrived: Double, _ random: inout SeededRandom) -> Double {
        let turn = Int(time / roundTrip)
        if turn != recovery.turn {
            recovery.turn = turn
            recovery.part = time < recovery.end ? Double.random(in: 0...0.8, using: &random) : 0
            let isRecovered = time >= recovery.end || Bool.random(using: &random)
            if isRecovered {
                defer { backlog = recovery.part * arrived }
                return backlog + (1 - recovery.part) * arrived
            }
        }
        backlog += recovery.part * arrived
        return (1 - recovery.part) * arrived
    }

    private func grow(_ connection: inout Connection) {
        connection.age += Self.step
        guard connection.age >= 2 * roundTrip else { return }
        let turns = Self.step / roundTrip
        let factor = connection.isInSlowStart ? pow(1.9, turns) : pow(1.25, turns / 8)
        connection.rate = min(perConnection, max(connection.rate, 14_600 / roundTrip) * factor)
    }
}

@Suite struct ConnectionTunerTests {
    private struct Outcome {
        var seconds: Double
        var counts: [Int] = []

        /// The median number of connections in the second half.
        var lasting: Int { counts[(counts.count / 2)...].sorted()[counts.count / 4] }
    }

    /// Downloads `length` bytes with `count` connections, or as many as the tuner says.
    private func download(_ length: Double, over path: Path, count: Int? = nil, seed: UInt64 = 1) -> Outcome {
        var path = path
        var random = SeededRandom(seed: seed)
        var tuner = ConnectionTuner(maximum: 64)
        var outcome = Outcome(seconds: 0)
        var received = 0.0
        while received < length {
            let used = count ?? tuner.count
            received += path.advance(used, &random)
            outcome.seconds += Path.step
            outcome.counts.append(used)
            guard outcome.counts.count.isMultiple(of: 5) else { continue }
            tuner.observe(
                .init(
                    byteCount: Int64(received),
                    busyCount: used,
                    remaining: Int64(max(0, length - received)),
                    requestCost: .seconds(2 * path.roundTrip)
                ),
                now: .seconds(outcome.seconds)
            )
        }
        return outcome
    }

    /// The fastest of the fixed numbers.
    private func best(_ length: Double, over path: Path) -> Double {
        [1, 2, 4, 8, 16, 32, 64].map { download(length, over: path, count: $0).seconds }.min() ?? 0
    }

    @Test("Where each connection is held back, as many as pay are used, soon")
    func heldBack() {
        for (perConnection, total) in [(4e6, 64e6), (4e6, 1e12), (1e6, 40e6), (20e6, 100e6)] {
            let path = Path(perConnection: perConnection, total: total)
            let length = min(64 * perConnection, total) * 60
            let outcome = download(length, over: path)
            #expect(outcome.seconds <= best(length, over: path) * 1.1, "\(path)")
            #expect(outcome.lasting <= 2 * path.needed, "\(path): \(outcome.lasting)")
        }
    }

    @Test("On a link that one connection fills, few are left", arguments: [0.005, 0.02, 0.1])
    func polite(roundTrip: Double) {
        let path = Path(perConnection: 25e6, total: 25e6, roundTrip: roundTrip)
        let length = 25e6 * 20
        let outcome = download(length, over: path)
        #expect(outcome.lasting <= 2)
        #expect(outcome.seconds <= best(length, over: path) * 1.1)
    }

    @Test("A dozen seconds are enough to find it, near and far", arguments: [0.005, 0.025, 0.1])
    func soon(roundTrip: Double) {
        for (perConnection, total) in [(4e6, 128e6), (4e6, 32e6), (10e6, 42e6), (25e6, 25e6), (100e6, 200e6)] {
            let path = Path(perConnection: perConnection, total: total, roundTrip: roundTrip)
            let length = total * 12
            let outcome = download(length, over: path)
            let fixed = best(length, over: path)
            #expect(outcome.seconds <= fixed * 1.1 + 5 * roundTrip, "\(path): \(outcome.seconds) for \(fixed) s")
            #expect(outcome.lasting <= 2 * path.needed + 2, "\(path): \(outcome.lasting)")
        }
    }

    @Test("That connections still grow is not taken for what more of them gain")
    func slowStart() {
        let path = Path(perConnection: 27e6, total: 180e6, roundTrip: 0.1)
        let counts = download(180e6 * 6, over: path).counts
        // 8 fill it: twice as many are tried once.
        #expect(counts.max() == 16)
        #expect(counts.prefix(100).allSatisfy { $0 == ConnectionTuner.firstCount })
    }

    @Test("Where more are in each other's way, it goes back")
    func overloaded() {
        let path = Path(perConnection: 27e6, total: 180e6, roundTrip: 0.1, bearable: 12)
        let length = 180e6 * 20
        let outcome = download(length, over: path)
        #expect(outcome.lasting <= 8)
        #expect(outcome.seconds <= best(length, over: path) * 1.12)
    }

    @Test("What gains nothing is given up, however little is left")
    func givenUp() {
        let path = Path(perConnection: 4e6, total: 32e6)
        let outcome = download(32e6 * 4, over: path)
        #expect(outcome.counts.contains(16))
        #expect(outcome.counts.last == 8, "\(outcome.counts)")
    }

    @Test("What was found is tried anew ever more seldom")
    func rests() {
        let path = Path(perConnection: 4e6, total: 32e6)
        let counts = download(32e6 * 200, over: path).counts
        let trialCount = zip(counts, counts.dropFirst()).filter { $0 < $1 && $1 == 16 }.count
        #expect((3...6).contains(trialCount))
    }

    @Test("A short download is one with 8 connections")
    func short() {
        let path = Path(perConnection: 1e9, total: 1e9)
        #expect(download(0.3e9, over: path).counts.allSatisfy { $0 == ConnectionTuner.firstCount })
    }

    @Test("Noise neither keeps it from a good number nor makes it wander far", arguments: 1...50 as ClosedRange<UInt64>)
    func noise(seed: UInt64) {
        let path = Path(perConnection: 4e6, total: 60e6, noise: 0.3)
        let outcome = download(60e6 * 100, over: path, seed: seed)
        #expect(outcome.seconds <= 100 * 1.1, "\(outcome.seconds) s")
        #expect(outcome.lasting <= 3 * path.needed, "\(outcome.lasting)")
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

    @Test("That nothing comes yet says nothing about their number")
    func silent() {
        var tuner = ConnectionTuner(maximum: 64)
        for tick in 0..<100 {
            let sample = ConnectionTuner.Sample(
                byteCount: 0,
                busyCount: tuner.count,
                remaining: nil,
                requestCost: .milliseconds(20)
            )
            tuner.observe(sample, now: .milliseconds(100 * tick))
        }
        #expect(tuner.count == ConnectionTuner.firstCount)
    }

    @Test("Where there is no use for so many more, it goes by those that are used")
    func partlyUsed() {
        var path = Path(perConnection: 4e6, total: 32e6)
        var random = SeededRandom(seed: 1)
        var tuner = ConnectionTuner(maximum: 64)
        var received = 0.0
        for tick in 1...1000 {
            let used = min(tuner.count, 12)
            received += path.advance(used, &random)
            guard tick.isMultiple(of: 5) else { continue }
            let sample = ConnectionTuner.Sample(
                byteCount: Int64(received),
                busyCount: used,
                remaining: nil,
                requestCost: .milliseconds(40)
            )
            tuner.observe(sample, now: .milliseconds(10 * tick))
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
