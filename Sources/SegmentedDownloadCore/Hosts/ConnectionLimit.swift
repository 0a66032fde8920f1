/// How many connections a host bears at once. A state machine without a clock: the times passed in count from the same
/// start.
///
/// It begins with all that are wanted and learns from refusals: a request that fails without a byte while others of
/// the host are served.
///
/// | refusal | consequence |
/// | --- | --- |
/// | no other is served or under way | nothing is learned about a number; the caller waits and tries again |
/// | more were under way than ever delivered at once | at most the others, from now on |
/// | as many have delivered at once before | at most the others for ``Configuration/grace``: a server that has not noticed yet that another connection was closed refuses so. Refused again after that: from now on |
///
/// After ``Configuration/patience`` in which as many as are permitted brought bytes, one more is tried. Each such try
/// that is refused doubles the patience, so that a server that bears two is not asked again and again for a third.
///
/// That no answer comes is a refusal, too, but a guess: an answer that takes as long makes up for what was lost by it.
package struct ConnectionLimit: Sendable {
    /// The numbers that a limit is made with.
    package struct Configuration: Sendable {
        /// Connections that are wanted, at least 1.
        package var maximum: Int
        /// How long a host that refuses what it bore before is spared.
        package var grace: Duration
        /// How long all must go well before one more is tried.
        package var patience: Duration

        package init(maximum: Int, grace: Duration, patience: Duration) {
            self.maximum = max(maximum, 1)
            self.grace = grace
            self.patience = max(patience, .milliseconds(1))
        }
    }

    /// The host's other connections, as one is refused.
    package struct Others: Equatable, Sendable {
        /// Those that deliver, or did since the request that is refused was sent.
        package var delivering: Int
        /// Those whose answer has not come yet.
        package var awaited: Int

        package init(delivering: Int, awaited: Int) {
            self.delivering = delivering
            self.awaited = awaited
        }

        package var count: Int { delivering + awaited }
    }

    /// What a refusal means.
    package enum Refusal: Equatable, Sendable {
        /// No other request was under way: this is no question of their number.
        case alone
        /// So many had been borne before. Until then fewer are permitted, afterwards as many again.
        case paused(until: Duration)
        /// At most so many from now on; `again` where so many had been borne, but it was refused twice.
        case lowered(to: Int, again: Bool)
    }

    private struct Pause {
        var limit: Int
        let end: Duration
    }

    /// The longest time between two tries of one connection more.
    package static let longestPatience = Duration.seconds(600)
    /// A limit that has not changed for so long is told of.
    private static let settlingTime = Duration.seconds(1)

    private let configuration: Configuration
    /// At most so many, pauses aside; at least 1.
    package private(set) var limit: Int
    /// The most that delivered at once.
    private var borne = 0
    /// The limit before refusals that came while nobody was delivering: where nobody comes to, it was an outage.
    private var unproven: Int?
    private var pause: Pause?
    /// What the limit would be without the connections that were given up in silence, and how long the most patient of
    /// them had waited.
    private var silence: (limit: Int, wait: Duration)?
    private var patience: Duration
    /// Whether the last change was one connection more, of which nothing is known yet.
    private var isTrying = false
    /// When the present number began to be permitted.
    package private(set) var unchangedSince = Duration.zero
    private var isTold = true
    private var wasTold = false

    package init(_ configuration: Configuration) {
        self.configuration = configuration
        limit = configuration.maximum
        patience = configuration.patience
    }

    /// How many requests may be under way at once.
    package func permitted(at now: Duration) -> Int {
        guard let pause, now < pause.end else { return limit }
        return max(1, min(limit, pause.limit))
    }
}

// MARK: - Events

extension ConnectionLimit {
    /// A request failed without a byte, in a way that a surplus connection may be refused in.
    ///
    /// - Parameters:
    ///   - askedAt: When it was sent.
    ///   - others: What else is under way.
    ///   - inSilence: Whether it was given up, since no answer came.
    package mutating func refused(
        askedAt: Duration,
        others: Others,
        inSilence: Bool = false,
        now: Duration
    ) -> Refusal {
        let wait = inSilence ? now - askedAt : nil
        guard others.count > 0 else {
            pause = nil
            if let unproven { restore(unproven) }
            return .alone
        }
        guard others.count < borne else {
            if others.delivering == 0, unproven == nil { unproven = limit }
            return lower(to: others.count, again: false, after: wait, now: now)
        }
        if let pause, askedAt < pause.end + configuration.patience {
            guard askedAt < pause.end else {
                self.pause = nil
                borne = others.count
                return lower(to: others.count, again: true, after: wait, now: now)
            }
            self.pause?.limit = min(pause.limit, others.count)
            return .paused(until: pause.end)
        }
        pause = Pause(limit: others.count, end: now + configuration.grace)
        return .paused(until: now + configuration.grace)
    }

    /// - Parameter wait: How long nothing had come; `nil` where a refusal came.
    private mutating func lower(to count: Int, again: Bool, after wait: Duration?, now: Duration) -> Refusal {
        if let wait {
            silence = (silence?.limit ?? limit, max(silence?.wait ?? .zero, wait))
        } else if let silence {
            self.silence?.limit = min(silence.limit, count)
        }
        limit = min(limit, count)
        if isTrying { patience = min(patience * 2, Self.longestPatience) }
        isTrying = false
        unchangedSince = now
        isTold = wasTold
        return .lowered(to: limit, again: again)
    }

    /// A request has brought its first byte.
    ///
    /// - Parameters:
    ///   - askedAt: When it was sent.
    ///   - count: How many are delivering now, this one included.
    ///   - tolerance: How late an answer may be, as far as is known by now.
    package mutating func delivered(askedAt: Duration, count: Int, tolerance: Duration = .zero) {
        if let silence, silence.wait <= tolerance {
            restore(silence.limit)
            self.silence = nil
        }
        unproven = nil
        borne = max(borne, min(count, limit))
        if let pause, askedAt >= pause.end { self.pause = nil }
    }

    /// Tries one connection more where its time has come; to be called several times a second.
    ///
    /// - Parameter active: How many connections have brought bytes since ``unchangedSince``.
    /// - Returns: The new number; `nil` where it has not changed.
    package mutating func observed(active: Int, now: Duration) -> Int? {
        guard limit < configuration.maximum || isTrying, pause == nil, unproven == nil, active >= limit,
            now - unchangedSince >= patience
        else { return nil }
        // The try before has gone well.
        if isTrying { patience = configuration.patience }
        isTrying = limit < configuration.maximum
        guard isTrying else { return nil }
        limit += 1
        unchangedSince = now
        return limit
    }

    /// Forgets refusals that turned out to be about something else than the number of connections.
    package mutating func restore(_ earlier: Int) {
        limit = max(limit, min(earlier, configuration.maximum))
        unproven = nil
        isTrying = false
        isTold = true
    }

    /// The number that the host has turned out to bear, for a person: once, when it has settled and so many have
    /// delivered at once.
    ///
    /// - Parameter isLast: Whether nobody will ask later.
    package mutating func takeFinding(at now: Duration, isLast: Bool = false) -> Int? {
        // Of requests that wait for their answer the next may be refused, too: only what was borne is told.
        guard !isTold, unproven == nil, borne >= limit, isLast || now - unchangedSince >= Self.settlingTime else {
            return nil
        }
        isTold = true
        wasTold = true
        return limit
    }
}
