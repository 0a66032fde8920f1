import SegmentedDownloadCore
import Testing

@Suite struct HostRecordTests {
    private func record() -> HostRecord {
        HostRecord(connections: .init(maximum: 8, grace: .seconds(1), patience: .seconds(2)))
    }

    @Test("A Retry-After holds until its end; the latest end counts")
    func holds() {
        var record = record()
        #expect(record.hold(at: .zero) == .none)
        record.asksToBeLeftAlone(for: .seconds(120), now: .seconds(10))
        record.asksToBeLeftAlone(for: .seconds(5), now: .seconds(20))
        #expect(record.hold(at: .seconds(20)) == .until(.seconds(130)))
        record.asksToBeLeftAlone(for: .seconds(60), now: .seconds(129))
        #expect(record.hold(at: .seconds(130)) == .until(.seconds(189)))
        #expect(record.hold(at: .seconds(189)) == .none)
        record.asksToBeLeftAlone(for: .zero, now: .seconds(190))
        #expect(record.hold(at: .seconds(190)) == .none)
    }

    @Test("Ten minutes are waited for, more is too long, whoever asks, until less is left")
    func tooLong() {
        var record = record()
        record.asksToBeLeftAlone(for: .seconds(600), now: .zero)
        #expect(record.hold(at: .zero) == .until(.seconds(600)))
        record.asksToBeLeftAlone(for: .seconds(601), now: .zero)
        #expect(record.hold(at: .zero) == .tooLong(.seconds(601)))
        #expect(record.hold(at: .seconds(1)) == .until(.seconds(601)))
        record.asksToBeLeftAlone(for: .seconds(RetryAfter.maximumSeconds), now: .seconds(5))
        #expect(record.hold(at: .seconds(5)) == .tooLong(.seconds(RetryAfter.maximumSeconds)))
    }
}
