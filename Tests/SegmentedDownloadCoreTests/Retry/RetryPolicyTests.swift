import SegmentedDownloadCore
import Testing

struct RetryPolicyTests {
    private func policy(rounds: Int = 20, firstWait: Duration = .seconds(1), seed: UInt64 = 1) -> RetryPolicy {
        RetryPolicy(maximumRounds: rounds, firstWait: firstWait, seed: seed)
    }

    /// A policy that has its first usable answer, but no byte.
    private func answered(rounds: Int = 20, firstWait: Duration = .seconds(1), seed: UInt64 = 1) -> RetryPolicy {
        var policy = policy(rounds: rounds, firstWait: firstWait, seed: seed)
        policy.receivedUsableAnswer()
        return policy
    }

    /// Fails once, and gives the wait and the round.
    private func fail(_ policy: inout RetryPolicy, at now: Duration) throws -> (until: Duration, round: Int) {
        guard case .retry(let time, let round) = policy.failed(at: now) else {
            throw GaveUp()
        }
        return (time, round)
    }

    private struct GaveUp: Error {}

    @Test(arguments: 0..<50 as Range<UInt64>)
    func `the wait doubles from the first to the maximum, with jitter of up to a quarter`(_ seed: UInt64) throws {
        var policy = answered(seed: seed)
        var now = Duration.seconds(100)
        for (index, full) in [1, 2, 4, 8, 16, 30, 30, 30].enumerated() {
            let (until, round) = try fail(&policy, at: now)
            #expect(round == index + 1)
            #expect(until - now >= .seconds(full) * 0.75 && until - now <= .seconds(full))
            now = until
        }
    }

    @Test func `different seeds give different waits, equal seeds equal ones`() throws {
        let waits = try (0..<20 as Range<UInt64>).map { seed in
            var policy = answered(seed: seed)
            return try fail(&policy, at: .zero).until
        }
        #expect(Set(waits).count > 15)
        var first = answered(seed: 7)
        var second = answered(seed: 7)
        #expect(first.failed(at: .zero) == second.failed(at: .zero))
    }

    @Test(arguments: [0, 1, 2, 20])
    func `rounds without a byte end after as many retries`(_ rounds: Int) throws {
        var policy = answered(rounds: rounds)
        var now = Duration.zero
        for round in 0..<rounds {
            let retry = try fail(&policy, at: now)
            #expect(retry.round == round + 1)
            now = retry.until
        }
        #expect(policy.failed(at: now) == .giveUp(.roundsExhausted(rounds: rounds)))
    }

    @Test func `connections that fail together are one round`() throws {
        var policy = answered(rounds: 1)
        let first = try fail(&policy, at: .seconds(1))
        for offset in 1..<8 {
            let other = try fail(&policy, at: .seconds(1) + .milliseconds(offset * 10))
            #expect(other == first)
        }
        #expect(policy.failed(at: first.until) == .giveUp(.roundsExhausted(rounds: 1)))
    }

    @Test func `a byte sets the count to 0 and the wait to the first`() throws {
        var policy = answered(rounds: 3)
        var now = Duration.zero
        for _ in 0..<3 { now = try fail(&policy, at: now).until }
        policy.receivedBytes()
        let afterBytes = try fail(&policy, at: now)
        #expect(afterBytes.round == 0)
        #expect(afterBytes.until - now <= .seconds(1))
        let next = try fail(&policy, at: afterBytes.until)
        #expect(next.round == 1)
        #expect(next.until - afterBytes.until <= .seconds(1))
    }

    @Test func `a download that trickles is tried for ever`() throws {
        var policy = answered(rounds: 1)
        var now = Duration.zero
        for _ in 0..<1000 {
            policy.receivedBytes()
            let retry = try fail(&policy, at: now)
            #expect(retry.round == 0)
            now = retry.until
        }
    }

    @Test func `a byte during a wait does not begin another round`() throws {
        var policy = answered(rounds: 5)
        let first = try fail(&policy, at: .zero)
        policy.receivedBytes()
        let other = try fail(&policy, at: .milliseconds(1))
        #expect(other.until == first.until)
        #expect(other.round == 0)
        #expect(try fail(&policy, at: first.until).round == 0)
    }

    @Test(arguments: [(0, 1), (1, 2), (2, 3), (3, 3), (20, 3)])
    func `before the first usable answer three attempts are all`(_ rounds: Int, _ attempts: Int) throws {
        var policy = policy(rounds: rounds)
        var now = Duration.zero
        for _ in 1..<attempts { now = try fail(&policy, at: now).until }
        #expect(policy.failed(at: now) == .giveUp(.neverAnswered(attempts: attempts)))
    }

    @Test func `after the first usable answer the rounds count on`() throws {
        var policy = policy(rounds: 4)
        var now = Duration.zero
        for _ in 0..<2 { now = try fail(&policy, at: now).until }
        policy.receivedUsableAnswer()
        for round in 3...4 {
            let retry = try fail(&policy, at: now)
            #expect(retry.round == round)
            now = retry.until
        }
        #expect(policy.failed(at: now) == .giveUp(.roundsExhausted(rounds: 4)))
    }

    @Test(arguments: 0..<1000 as Range<UInt64>)
    func `the defaults bear a router that is away for five minutes, in which every connection fails at once`(
        _ seed: UInt64
    ) throws {
        // SessionOptions' retryRounds and retryWait. Failures that take their time only add to this.
        var policy = answered(rounds: 20, firstWait: .milliseconds(500), seed: seed)
        policy.receivedBytes()
        let outage = Duration.seconds(300)
        var now = Duration.zero
        while now < outage { now = try fail(&policy, at: now).until }
        // And it is no matter of one last try.
        #expect(try fail(&policy, at: now).until > now)
    }

    @Test(arguments: [Duration.zero, .seconds(-1), .nanoseconds(1)])
    func `a wait of nothing is still a wait`(_ firstWait: Duration) throws {
        var policy = answered(rounds: 1, firstWait: firstWait)
        let first = try fail(&policy, at: .seconds(5))
        #expect(first.until == .seconds(5) + RetryPolicy.minimumWait)
        #expect(try fail(&policy, at: .seconds(5)) == first)
    }

    @Test func `a first wait beyond the maximum is the maximum`() throws {
        var policy = answered(firstWait: .seconds(3600))
        #expect(try fail(&policy, at: .zero).until <= .seconds(30))
    }

    @Test func `no order of events makes it trap, go back in time or go on for ever without a byte`() {
        for seed in 0..<300 as Range<UInt64> {
            var numbers = UntrustedText(seed: seed)
            var policy = policy(rounds: numbers.number(below: 6), firstWait: .milliseconds(100), seed: seed)
            var now = Duration.zero
            var roundsSinceBytes = 0
            for _ in 0..<200 {
                now += .milliseconds(numbers.number(below: 3000))
                switch numbers.number(below: 8) {
                case 0:
                    policy.receivedBytes()
                    roundsSinceBytes = 0
                case 1: policy.receivedUsableAnswer()
                default:
                    guard case .retry(let time, let round) = policy.failed(at: now) else { break }
                    #expect(time > now)
                    #expect(round >= roundsSinceBytes && round <= 5)
                    roundsSinceBytes = round
                }
            }
        }
    }
}
