import Foundation

/// State behind a lock, on whose changes other threads can wait without polling.
// Sendable: `state` is read and written only while `condition` is locked.
package final class Monitor<State>: @unchecked Sendable {
    private let condition = NSCondition()
    private var state: State

    /// Makes a monitor of a first state.
    package init(_ state: sending State) {
        self.state = state
    }

    /// Reads or changes the state, then wakes all who wait.
    package func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        condition.lock()
        defer {
            condition.broadcast()
            condition.unlock()
        }
        return try body(&state)
    }

    /// Reads the state, and wakes nobody.
    package func read<Result>(_ body: (State) throws -> Result) rethrows -> Result {
        condition.lock()
        defer { condition.unlock() }
        return try body(state)
    }

    /// Blocks the calling thread until the state is as wanted.
    ///
    /// - Parameters:
    ///   - timeout: How long at most.
    ///   - predicate: Run under the lock after each change; it must not call this monitor.
    /// - Returns: Whether the predicate held before the time was up.
    package func wait(timeout: Duration, until predicate: (State) throws -> Bool) rethrows -> Bool {
        let deadline = Date(timeIntervalSinceNow: timeout.inSeconds)
        condition.lock()
        defer { condition.unlock() }
        while try !predicate(state) {
            guard condition.wait(until: deadline) else { return try predicate(state) }
        }
        return true
    }
}

extension Duration {
    /// This duration in seconds.
    package var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}
