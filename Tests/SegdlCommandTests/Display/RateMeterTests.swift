import SegdlCommand
import Testing

struct RateMeterTests {
    @Test func `the rate is the mean of the window`() {
        var meter = RateMeter(window: .seconds(5))
        for second in 0...10 { meter.add(byteCount: Int64(second) * 1000, at: .seconds(second)) }
        #expect(meter.bytesPerSecond == 1000)
        for second in 11...15 { meter.add(byteCount: 10_000, at: .seconds(second)) }
        #expect(meter.bytesPerSecond == 0)
    }

    @Test func `one sample is no rate`() {
        var meter = RateMeter()
        #expect(meter.bytesPerSecond == nil)
        meter.add(byteCount: 5, at: .seconds(1))
        #expect(meter.bytesPerSecond == nil)
        meter.add(byteCount: 9, at: .seconds(1))
        #expect(meter.bytesPerSecond == nil)
    }

    @Test func `what stands ready at once is no rate`() {
        var meter = RateMeter()
        meter.add(byteCount: 0, at: .zero)
        meter.add(byteCount: 100_000, at: .microseconds(23))
        #expect(meter.bytesPerSecond == nil)
        meter.add(byteCount: 200_000, at: .seconds(1))
        #expect(meter.bytesPerSecond == 200_000)
    }

    @Test func `a download that begins again is measured anew`() {
        var meter = RateMeter()
        meter.add(byteCount: 0, at: .zero)
        meter.add(byteCount: 1000, at: .seconds(1))
        meter.add(byteCount: 0, at: .seconds(2))
        #expect(meter.bytesPerSecond == nil)
        meter.add(byteCount: 50, at: .seconds(3))
        #expect(meter.bytesPerSecond == 50)
    }

    @Test func `the time left is rounded up and finite`() {
        var meter = RateMeter()
        #expect(meter.secondsLeft(for: 10) == nil)
        #expect(meter.secondsLeft(for: 0) == 0)
        meter.add(byteCount: 0, at: .zero)
        meter.add(byteCount: 1000, at: .seconds(1))
        #expect(meter.secondsLeft(for: 1001) == 2)
        #expect(meter.secondsLeft(for: .max) == nil)
        meter.add(byteCount: 1000, at: .seconds(60))
        #expect(meter.secondsLeft(for: 1) == nil)
    }
}
