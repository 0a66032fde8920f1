import SegmentedDownloadCore
import Testing

@Suite struct TokenBucketTests {
    /// A reader that always finds bytes, and looks again when the bucket says so, or later.
    private struct Reader {
        var bucket: TokenBucket
        var now = Duration.zero
        /// When how many bytes were read.
        var reads: [(time: Duration, byteCount: Int64)] = []

        init(bytesPerSecond: Int64) {
            bucket = TokenBucket(bytesPerSecond: bytesPerSecond, now: .zero)
        }

        /// - Parameter lateness: How much later than it wanted the reader is woken.
        mutating func read(_ byteCount: Int64, until end: Duration, lateness: Duration = .zero) {
            while now < end {
                let wait = bucket.wait(now: now)
                guard wait == .zero else {
                    now += wait + lateness
                    continue
                }
                bucket.take(byteCount, now: now)
                reads.append((now, byteCount))
                // Whatever else happens, time passes.
                now += .microseconds(1)
            }
        }

        func byteCount(in time: Range<Duration>) -> Int64 {
            reads.reduce(0) { time.contains($1.time) ? $0 + $1.byteCount : $0 }
        }
    }

    @Test("In any 2 s the bytes are the rate's within 3 %", arguments: [100_000, 1_000_000, 5 * MiB, 10 * GiB])
    func rate(bytesPerSecond: Int64) {
        var reader = Reader(bytesPerSecond: bytesPerSecond)
        reader.read(bytesPerSecond / 512, until: .seconds(8), lateness: .milliseconds(1))
        for start in stride(from: 1.0, through: 5.5, by: 0.25) {
            let share =
                Double(reader.byteCount(in: .seconds(start) ..< .seconds(start + 2))) / Double(2 * bytesPerSecond)
            #expect((0.97...1.03).contains(share), "from \(start) s on")
        }
    }

    @Test("A read that is larger than a second's bytes is paid for before the next one")
    func debt() {
        var reader = Reader(bytesPerSecond: 100)
        reader.read(1024, until: .seconds(100))
        #expect(reader.byteCount(in: .zero ..< .seconds(100)) == 10 * 1024)
    }

    @Test("A reader that is woken late by less than what is saved up loses nothing")
    func lateness() {
        var reader = Reader(bytesPerSecond: 1_000_000)
        reader.read(2000, until: .seconds(10), lateness: .milliseconds(30))
        #expect(reader.byteCount(in: .zero ..< .seconds(10)) >= 9_900_000)
    }

    @Test("No more than 4 % of a second is saved up while no bytes come")
    func idle() {
        var reader = Reader(bytesPerSecond: 1_000_000)
        reader.now = .seconds(60)
        reader.read(1000, until: .seconds(60) + .milliseconds(1))
        #expect((40_000...42_000).contains(reader.byteCount(in: .zero ..< .seconds(61))))
    }

    @Test("It binds while bytes wait for tokens, and not while tokens wait for bytes")
    func binding() {
        var bucket = TokenBucket(bytesPerSecond: 1000, now: .zero)
        bucket.take(500, now: .seconds(1))
        #expect(bucket.isBinding(now: .seconds(1)))
        #expect(bucket.wait(now: .seconds(1)) == .milliseconds(460))
        #expect(!bucket.isBinding(now: .seconds(2)))
    }

    @Test("No number of bytes and no rate is too large or too small", arguments: [.min, 0, 1, .max])
    func extremes(bytesPerSecond: Int64) {
        var bucket = TokenBucket(bytesPerSecond: bytesPerSecond, now: .zero)
        bucket.take(64 * MiB, now: .seconds(1))
        #expect(bucket.wait(now: .seconds(1)) >= .zero)
        #expect(bucket.wait(now: .seconds(1) + .seconds(64 * MiB)) == .zero)
    }
}
