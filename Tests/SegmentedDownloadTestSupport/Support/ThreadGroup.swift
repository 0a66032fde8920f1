import Foundation

/// Threads that are started one by one and waited for together.
final class ThreadGroup: Sendable {
    // Enough for the shallow stacks here; the default of 8 MiB of address space counts with hundreds of threads.
    private static let stackSize = 512 * 1024
    private let running = Monitor(0)

    /// Runs a closure on a new thread.
    func start(_ body: @escaping @Sendable () -> Void) {
        running.withLock { $0 += 1 }
        let thread = Thread { [running] in
            body()
            running.withLock { $0 -= 1 }
        }
        thread.stackSize = Self.stackSize
        thread.start()
    }

    /// Blocks until all threads have come to the end of their closure.
    func join() {
        while !running.wait(timeout: .seconds(60), until: { $0 == 0 }) {}
    }
}
