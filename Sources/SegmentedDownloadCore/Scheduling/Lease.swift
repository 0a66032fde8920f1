/// Names one lease for ever: a command that arrives after its lease has ended finds no lease of that name.
package struct LeaseID: Hashable, Sendable {
    package let rawValue: Int
}

/// A run of missing bytes in the hands of one connection, as the scheduler knows it. The worker that reads it knows
/// better; what stands here lags behind by one turn of that worker's loop.
struct Lease: Sendable {
    /// What the worker was asked to change and has not answered yet.
    enum Pending: Sendable, Equatable {
        case shorten(beneficiary: Int)
        case revoke(beneficiary: Int?)

        /// The connection that waits for what becomes free; `nil` where it is anybody's.
        var beneficiary: Int? {
            switch self {
            case .shorten(let beneficiary): beneficiary
            case .revoke(let beneficiary): beneficiary
            }
        }

        /// Whether all of it is taken since its connection brings too little, not since there are too many.
        var isTakeover: Bool {
            if case .revoke(_?) = self { true } else { false }
        }
    }

    let id: LeaseID
    let start: Int64
    /// The far end; only the worker's answer moves it.
    var end: Int64
    /// Bytes below this one have arrived.
    var received: Int64
    /// Bytes below this one were handed to the kernel.
    var written: Int64
    var pending: Pending?
    /// Whether its end was moved, so that its connection is closed where the body goes on.
    var isShortened = false
    /// Whether its TCP connection stood before it was asked for, although it had brought nothing yet.
    var isConnected = false
    /// When the request was given out, in seconds since the scheduler's start.
    let requestedAt: Double
    /// The seconds that its first byte was expected to take.
    let requestCost: Double
    /// When its first byte was reported; `nil` before.
    var firstByteAt: Double?
    /// When bytes were last reported, or its request was given out.
    var lastByteAt: Double

    var remaining: Int64 { end - received }
}
