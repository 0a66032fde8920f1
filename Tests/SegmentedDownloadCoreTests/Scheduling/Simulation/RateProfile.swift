/// A rate that changes at given times and stays between them.
struct RateProfile: Sendable {
    /// Ascending times in seconds, the first one 0, and the bytes a second from then on.
    private(set) var steps: [(time: Double, bytesPerSecond: Double)]

    init(_ bytesPerSecond: Double) {
        steps = [(0, bytesPerSecond)]
    }

    /// The same rates, and another one from a time on, which lies behind all changes so far.
    func then(_ bytesPerSecond: Double, from time: Double) -> RateProfile {
        var next = self
        next.steps.append((time, bytesPerSecond))
        return next
    }

    func bytesPerSecond(at time: Double) -> Double {
        (steps.last { $0.time <= time } ?? steps[0]).bytesPerSecond
    }

    /// The first change behind a time; infinity where there is none.
    func nextChange(after time: Double) -> Double {
        steps.first { $0.time > time }?.time ?? .infinity
    }
}
