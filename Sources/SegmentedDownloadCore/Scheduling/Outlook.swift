/// What can be said of the future: how fast each connection is, when each lease ends as things stand, and when all
/// would end together if every byte could be moved freely.
struct Outlook {
    /// One connection's part, in seconds from now and bytes.
    struct Share {
        /// Bytes a second.
        var rate: Double
        /// What its lease misses; 0 without one.
        var remaining: Double
        /// When it can bring bytes.
        var begin: Double
        /// The time from its next request to the first byte.
        var requestCost: Double
        /// Whether its lease can be taken from.
        var isPrey = false

        /// When its lease ends.
        var finish: Double { remaining > 0 ? begin + remaining / rate : begin }

        /// The bytes that it can bring until then; behind its lease's end a further request's cost lies between.
        func capacity(until end: Double) -> Double {
            let finish = finish
            guard end > finish else { return rate * max(0, end - begin) }
            return remaining + rate * max(0, end - finish - (remaining > 0 ? requestCost : 0))
        }
    }

    /// By connection; `nil` for those that nothing is expected of.
    var shares: [Share?]
    /// What a connection of which nothing is known may bring, in bytes a second.
    let usualRate: Double
    /// Seconds from now until all would end together.
    let end: Double

    /// - Parameter outstanding: Bytes that are to come, those in no lease included.
    init(_ shares: [Share?], outstanding: Double, usualRate: Double) {
        self.shares = shares
        self.usualRate = usualRate
        var low = 0.0
        var high = 1.0
        let capacity = { (end: Double) in
            shares.reduce(0) { $0 + ($1?.capacity(until: end) ?? 0) }
        }
        while high < 1e9, capacity(high) < outstanding { high *= 2 }
        while high - low > 0.001 * high {
            let middle = (low + high) / 2
            if capacity(middle) < outstanding { low = middle } else { high = middle }
        }
        end = high
    }

    /// The lease that would end last, among those that can be taken from.
    var last: Int? {
        var last: (index: Int, finish: Double)?
        for (index, share) in shares.enumerated() {
            guard let share, share.isPrey, share.finish > last?.finish ?? 0 else { continue }
            last = (index, share.finish)
        }
        return last?.index
    }
}
