internal import SegmentedDownloadLocking
import Dispatch

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// SIGHUP, SIGINT and SIGTERM: the first one cancels what runs and leaves it two seconds, a SIGINT after it ends the
/// process at once. What was ignored at the start stays ignored.
package final class StopSignals: Sendable {
    private struct State {
        var signal: Int32?
        var cancel: (@Sendable () -> Void)?
        var sources: [any DispatchSourceSignal] = []
    }

    private let queue = DispatchQueue(label: "segdl.signals")
    private let state = Locked(State())
    private let patience: Duration
    private let lastWords: @Sendable (_ signal: Int32) -> Void

    /// Starts to listen. Called before any other thread is made, so that all inherit the mask: a signal that one of
    /// them took would end the process.
    ///
    /// - Parameters:
    ///   - candidates: The signals; those that the process ignores are left alone.
    ///   - patience: How long an orderly end may take.
    ///   - lastWords: Called where the orderly end took too long, right before the process ends; returns within a tenth
    ///     of a second.
    package init(
        _ candidates: [Int32] = SignalMask.ending,
        patience: Duration = .milliseconds(1900),
        lastWords: @escaping @Sendable (_ signal: Int32) -> Void
    ) {
        self.patience = patience
        self.lastWords = lastWords
        let signals = candidates.filter { !SignalMask.isIgnored($0) }
        SignalMask.block(signals)
        state.withLock { state in
            for signal in signals { state.sources.append(source(signal)) }
        }
    }

    /// The signal that asked for the end; `nil` as long as none did.
    package var signal: Int32? {
        state.withLock { $0.signal }
    }

    /// Says what is to be cancelled; called at once where a signal came already.
    package func attach(_ cancel: @escaping @Sendable () -> Void) {
        let isStopping = state.withLock { state in
            state.cancel = cancel
            return state.signal != nil
        }
        if isStopping { cancel() }
    }

    private func source(_ signal: Int32) -> any DispatchSourceSignal {
        let source = DispatchSource.makeSignalSource(signal: signal, queue: queue)
        source.setEventHandler { [self] in received(signal) }
        source.resume()
        return source
    }

    /// What the signal sources call; tests call it too, since in a process that has threads already no mask keeps a
    /// signal from the others.
    ///
    /// - Parameter signal: The signal that came.
    package func received(_ signal: Int32) {
        let (isFirst, cancel) = state.withLock { state in
            defer { state.signal = state.signal ?? signal }
            return (state.signal == nil, state.cancel)
        }
        guard isFirst else {
            if signal == SIGINT { SignalMask.die(of: signal) }
            return
        }
        // On queues of their own: neither may keep a second SIGINT from being heard.
        DispatchQueue(label: "segdl.deadline").asyncAfter(deadline: .now() + patience.inSeconds) { [lastWords] in
            lastWords(signal)
            SignalMask.die(of: signal)
        }
        if let cancel { DispatchQueue(label: "segdl.cancel").async { cancel() } }
    }
}
