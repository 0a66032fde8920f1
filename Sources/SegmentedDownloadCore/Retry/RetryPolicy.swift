/// When one file's failed connections are tried again, and when that ends. Pure: the time is passed in.
///
/// A *round* is a wait: connections that fail while it runs belong to it, so that eight that fail together count once.
/// A round counts only where no connection of the file brought a byte since the round before; any byte sets the count
/// back to 0 and the wait to the first one.
///
/// | failure | wait (three quarters to all of it, at random) |
/// | --- | --- |
/// | after bytes came, or the first round in a row without | first wait |
/// | each further round in a row without a byte | twice the one before, at most the maximum |
///
/// A host's Retry-After is not its business: ``HostRecord``.
package struct RetryPolicy: Sendable {
    /// What to do after a failure.
    package enum Decision: Equatable, Sendable {
        /// Try again, not before `at` (since the same start as the times passed in). `round` counts the rounds in a
        /// row without a byte, this one included; 0 where bytes came meanwhile.
        case retry(at: Duration, round: Int)
        /// End the download.
        case giveUp(Reason)
    }

    /// Why there is no further try.
    package enum Reason: Equatable, Sendable {
        /// So many attempts failed before any usable answer.
        case neverAnswered(attempts: Int)
        /// So many rounds in a row were retried and brought no byte.
        case roundsExhausted(rounds: Int)
    }

    /// The shortest wait: a wait of 0 would spin, and make eight connections that fail together eight rounds.
    package static let minimumWait = Duration.milliseconds(10)

    private let maximumRounds: Int
    private let firstWait: Duration
    private let maximumWait: Duration
    private let attemptsBeforeFirstAnswer: Int
    private var generator: JitterGenerator
    private var round = 0
    private var broughtBytes = false
    private var hasUsableAnswer = false
    private var waitEnd: Duration?

    /// Makes the policy of one file.
    ///
    /// - Parameters:
    ///   - maximumRounds: Rounds in a row without a byte that are retried, 0 or more. With 0 a connection that was
    ///     cut after bytes came is still tried again, once.
    ///   - firstWait: The wait before the first retry.
    ///   - maximumWait: The longest wait that doubling leads to.
    ///   - attemptsBeforeFirstAnswer: Attempts, the first included, before any usable answer came; fewer where
    ///     `maximumRounds` allows fewer.
    ///   - seed: Decides the jitter; different for each file, so that many of them don't come back at one moment.
    package init(
        maximumRounds: Int,
        firstWait: Duration,
        maximumWait: Duration = .seconds(30),
        attemptsBeforeFirstAnswer: Int = 3,
        seed: UInt64
    ) {
        self.maximumRounds = maximumRounds
        self.maximumWait = max(maximumWait, Self.minimumWait)
        self.firstWait = min(max(firstWait, Self.minimumWait), self.maximumWait)
        self.attemptsBeforeFirstAnswer = attemptsBeforeFirstAnswer
        generator = JitterGenerator(state: seed)
    }

    /// A connection brought bytes of the file.
    package mutating func receivedBytes() {
        round = 0
        broughtBytes = true
    }

    /// An answer of the kind 2xx came that could be used.
    package mutating func receivedUsableAnswer() {
        hasUsableAnswer = true
    }

    /// A connection failed in a way that may pass.
    ///
    /// - Parameter now: The time since an arbitrary start, the same for all calls.
    /// - Returns: When to try again, or why not to. Connections of the same round get the same round and time.
    package mutating func failed(at now: Duration) -> Decision {
        if let waitEnd, now < waitEnd { return .retry(at: waitEnd, round: round) }
        if let reason = beginRound() { return .giveUp(reason) }
        let end = now + wait()
        waitEnd = end
        return .retry(at: end, round: round)
    }

    private mutating func beginRound() -> Reason? {
        if broughtBytes {
            broughtBytes = false
            return nil
        }
        round += 1
        guard round <= maximumRounds else {
            return hasUsableAnswer ? .roundsExhausted(rounds: round - 1) : .neverAnswered(attempts: round)
        }
        let isLastAttempt = !hasUsableAnswer && round >= attemptsBeforeFirstAnswer
        return isLastAttempt ? .neverAnswered(attempts: round) : nil
    }

    /// The wait of the present round: doubled for each round after the first, then cut to between three quarters and all
    /// of it, so that clients that failed together don't come back together. With halves, unlucky jitter made the
    /// defaults bear less than the five minutes that a router takes to start again.
    private mutating func wait() -> Duration {
        var wait = firstWait
        var remaining = round - 1
        while remaining > 0, wait < maximumWait {
            wait *= 2
            remaining -= 1
        }
        let fraction = Double.random(in: 0.75...1, using: &generator)
        return max(min(wait, maximumWait) * fraction, Self.minimumWait)
    }
}
