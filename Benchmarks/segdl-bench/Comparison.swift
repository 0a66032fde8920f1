/// Downloaders that fetch the same file in turns, and what is asked of their medians.
struct Comparison {
    /// What of a run is compared.
    enum Quantity: String {
        case time
        case cpu
        /// The inverse of the time.
        case rate
        /// As ``Comparison/counting`` says.
        case connections

        func value(_ cost: RunCost) -> Double {
            switch self {
            case .time: cost.elapsed
            case .cpu: cost.cpu
            case .rate: 1 / cost.elapsed
            case .connections: cost.connectionCount
            }
        }
    }

    /// What counts as the number of connections of a run.
    enum ConnectionCounting {
        case none
        /// TCP connections that the server saw.
        case opened
        /// How many were in use over the second half of the transfer (the median): of contenders that print `segdl`'s events.
        case inUse
    }

    /// What a contender is compared with.
    enum Reference {
        /// Another one, by its index.
        case contender(Int)
        /// The one of these that was fastest.
        case fastest([Int])
        /// Of these the one with the fewest connections that is within 5 % of the fastest; they stand in that order.
        case needed([Int])
        /// A number of seconds, or of bytes a second where the quantity is a rate.
        case ideal(Double)
    }

    /// A bound on the quotient of a contender's median and its reference's.
    struct Bar {
        enum Bound {
            case atMost(Double)
            case atLeast(Double)
            /// Shown, and nothing asked of it.
            case none
        }

        var quantity: Quantity
        /// Index of the contender on trial.
        var subject: Int
        var reference: Reference
        var bound: Bound

        /// Time at most `limit` × that of the contender `reference`.
        static func time(_ subject: Int, _ reference: Int, atMost limit: Double) -> Bar {
            Bar(quantity: .time, subject: subject, reference: .contender(reference), bound: .atMost(limit))
        }

        /// CPU time at most `limit` × that of the contender `reference`.
        static func cpu(_ subject: Int, _ reference: Int, atMost limit: Double) -> Bar {
            Bar(quantity: .cpu, subject: subject, reference: .contender(reference), bound: .atMost(limit))
        }

        /// Rate at least `limit` × that of the contender `reference`.
        static func rate(_ subject: Int, _ reference: Int, atLeast limit: Double) -> Bar {
            Bar(quantity: .rate, subject: subject, reference: .contender(reference), bound: .atLeast(limit))
        }

        /// - Returns: `nil` where nothing is asked.
        func isMet(by quotient: Double) -> Bool? {
            switch bound {
            case .atMost(let limit): quotient <= limit
            case .atLeast(let limit): quotient >= limit
            case .none: nil
            }
        }

        var boundText: String {
            switch bound {
            case .atMost(let limit): "<= \(limit.decimal(2))"
            case .atLeast(let limit): ">= \(limit.decimal(2))"
            case .none: "-"
            }
        }
    }

    var name: String
    /// Where the contenders fetch from, by ``Contender/venue``.
    var venues: [Venue]
    /// What is fetched.
    var files = FileSet(byteCount: 256 * .mebibyte)
    var contenders: [Contender]
    var bars: [Bar]
    var rounds: Int
    var counting = ConnectionCounting.none
}

/// What a comparison's contenders fetch.
struct FileSet {
    /// Bytes of each file.
    var byteCount: Int64
    /// How many there are; more than one are fetched by a list of their URLs.
    var count = 1

    var totalByteCount: Int64 { byteCount * Int64(count) }
}
