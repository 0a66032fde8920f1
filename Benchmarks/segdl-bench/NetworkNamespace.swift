import Dispatch
import Foundation
import Synchronization

/// A network namespace that `ip netns` made.
struct NetworkNamespace {
    /// Its name under `/run/netns`.
    let name: String

    /// Runs a closure on a thread inside the namespace: sockets that it makes and processes that it starts belong there for
    /// good.
    ///
    /// - Throws: ``BenchError`` where the namespace can't be entered (setns(2), which needs root), and what `body` throws.
    func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) throws -> Result {
        let outcome = Outcome<Result>()
        // A thread that ends with it: one of Dispatch's would carry the namespace to later work.
        Thread {
            outcome.value.withLock { value in
                value = Swift.Result {
                    try enter()
                    return try body()
                }
            }
            outcome.isSet.signal()
        }.start()
        outcome.isSet.wait()
        guard let value = outcome.value.withLock({ $0 }) else { preconditionFailure("signalled before it was set") }
        return try value.get()
    }

    private func enter() throws {
        // Glibc hides setns(2) from Swift behind _GNU_SOURCE.
        typealias SetNS = @convention(c) (Int32, Int32) -> Int32
        let fd = open("/run/netns/\(name)", O_RDONLY | O_CLOEXEC)
        defer { close(fd) }
        guard fd >= 0, let symbol = dlsym(nil, "setns"), unsafeBitCast(symbol, to: SetNS.self)(fd, 0) == 0 else {
            throw BenchError("Cannot enter the network namespace \(name): \(String(cString: strerror(errno))).")
        }
    }
}

/// What a thread hands over at its end.
private final class Outcome<Value: Sendable>: Sendable {
    let value = Mutex<Result<Value, any Error>?>(nil)
    let isSet = DispatchSemaphore(value: 0)
}
