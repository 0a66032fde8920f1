#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The calling thread's signal mask, and what signals do to the process.
package enum SignalMask {
    /// The signals that ask a program to end.
    package static let ending = [SIGHUP, SIGINT, SIGTERM]

    /// Blocks signals (pthread_sigmask(3)). Threads that are made later inherit it.
    ///
    /// - Returns: The mask before.
    @discardableResult
    static func block(_ signals: [Int32]) -> sigset_t {
        var set = set(of: signals)
        var previous = sigset_t()
        pthread_sigmask(SIG_BLOCK, &set, &previous)
        return previous
    }

    /// Sets the mask.
    static func restore(_ mask: sigset_t) {
        var mask = mask
        pthread_sigmask(SIG_SETMASK, &mask, nil)
    }

    /// Whether one of the signals waits to be unblocked (sigpending(2)).
    static func isPending(_ signals: [Int32]) -> Bool {
        var pending = sigset_t()
        guard sigpending(&pending) == 0 else { return false }
        return signals.contains { sigismember(&pending, $0) == 1 }
    }

    /// Whether a signal is ignored, for instance under nohup(1).
    package static func isIgnored(_ signal: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(signal, nil, &action) == 0 else { return false }
        #if canImport(Darwin)
            let handler = action.__sigaction_u.__sa_handler
        #elseif canImport(Musl)
            let handler = action.__sa_handler.sa_handler
        #else
            let handler = action.__sigaction_handler.sa_handler
        #endif
        // Pointers to C functions can't be compared; SIG_IGN is the number 1 (signal.h).
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Ends the process as the signal does by default, so that its parent sees the signal and not a status.
    package static func die(of signal: Int32) -> Never {
        #if canImport(Darwin)
            _ = Darwin.signal(signal, SIG_DFL)
        #elseif canImport(Musl)
            _ = Musl.signal(signal, SIG_DFL)
        #else
            _ = Glibc.signal(signal, SIG_DFL)
        #endif
        var set = set(of: [signal])
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        raise(signal)
        _exit(128 + signal)
    }

    private static func set(of signals: [Int32]) -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        return set
    }
}
