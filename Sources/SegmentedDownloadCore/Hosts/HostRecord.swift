/// What a session knows of one origin (scheme, host and port), for all downloads that use it.
package struct HostRecord: Sendable {
    /// Whether requests may be sent.
    package enum Hold: Equatable, Sendable {
        /// At once.
        case none
        /// Not before this time.
        case until(Duration)
        /// The host wants to be left alone for so much longer, which is more than anybody waits for.
        case tooLong(Duration)
    }

    /// The longest Retry-After that is waited for.
    package static let longestHold = Duration.seconds(600)

    /// How many connections it bears.
    package var connections: ConnectionLimit
    /// Whether it has given a usable answer: then a failure may pass, and is worth more patience.
    package var hasAnswered = false
    /// No request goes to the host before this time: the latest end of any Retry-After.
    package private(set) var holdUntil = Duration.zero

    package init(connections: ConnectionLimit.Configuration) {
        self.connections = ConnectionLimit(connections)
    }

    /// The host asked to be left alone (Retry-After, RFC 9110 §10.2.3), whoever's request it was that it refused.
    ///
    /// - Parameter wait: At most ``RetryAfter/maximumSeconds``.
    package mutating func asksToBeLeftAlone(for wait: Duration, now: Duration) {
        holdUntil = max(holdUntil, now + wait)
    }

    /// Whether a request may be sent.
    package func hold(at now: Duration) -> Hold {
        guard holdUntil > now else { return .none }
        return holdUntil - now > Self.longestHold ? .tooLong(holdUntil - now) : .until(holdUntil)
    }
}
