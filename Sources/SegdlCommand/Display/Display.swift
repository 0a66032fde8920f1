internal import SegmentedDownloadLocking
import Dispatch
package import SegmentedDownload

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Shows what happens. All its work is done on one queue of its own, so that neither a slow terminal nor a full pipe
/// holds up a worker; any thread may call it.
///
/// What comes while it works is done in one go, with one write: thousands of files a second cost few of them.
package final class Display: Sendable {
    /// A presenter, and where its text goes.
    package struct Channel: Sendable {
        var presenter: any Presenter
        let stream: TextStream

        /// A channel.
        package init(_ presenter: any Presenter, _ stream: TextStream) {
            self.presenter = presenter
            self.stream = stream
        }
    }

    private typealias Step = @Sendable (Display, inout DisplayState) -> Void

    /// So many steps may wait for a reader that does not read, before events that only tell how it goes are left out.
    private static let longestBacklog = 4096

    /// Steps of a list are waited for, for so long that a thousand files a second wake a thread a hundred times.
    private static let gathering = DispatchTimeInterval.milliseconds(10)

    private let queue = DispatchQueue(label: "segdl.display")
    private let gathers: Bool
    private let terminal: Terminal
    private let shows: @Sendable (DownloadEvent) -> Bool
    private let backlog = Locked<[Step]>([])
    /// Only touched on the queue; the lock says so to the compiler.
    private let state: Locked<DisplayState>

    /// A display.
    ///
    /// - Parameters:
    ///   - channels: What is shown, and where.
    ///   - terminal: The terminal that is drawn on.
    ///   - hasSeveralEntries: Whether the run may be about more than one file.
    package init(channels: [Channel], terminal: Terminal, hasSeveralEntries: Bool = false) {
        self.terminal = terminal
        gathers = hasSeveralEntries
        shows = { event in channels.contains { $0.presenter.shows(event) } }
        state = Locked(DisplayState(channels, hasSeveralEntries: hasSeveralEntries))
    }

    /// How many entries the run has, now that it is known.
    package func expect(entryCount: Int) {
        enqueue { _, state in state.tally.totalCount = entryCount }
    }

    /// An entry's turn has come.
    package func begin(_ entry: Entry) {
        enqueue { display, state in
            state.open[entry.number] = .init(beginning: .now)
            state.show(entry.number, display.terminal) { $0.begin(entry, $1) }
            display.startTimer(&state)
        }
    }

    /// The entry's download is there, and can be asked how far it is.
    package func attach(_ running: RunningDownload, to number: Int) {
        enqueue { _, state in state.open[number]?.running = running }
    }

    /// Something happened to the entry of a number; 0 for the whole run.
    package func handle(_ event: DownloadEvent, of number: Int) {
        guard shows(event) else { return }
        enqueue(isEssential: Self.isEssential(event)) { display, state in
            state.show(number, display.terminal) { $0.handle(event, $1) }
        }
    }

    /// The entry of a number ended well.
    package func finish(_ report: DownloadReport, of number: Int) {
        enqueue { display, state in
            state.tally.add(report)
            state.show(number, display.terminal) { $0.finish(report, $1) }
            state.open[number] = nil
        }
    }

    /// The entry of a number, or the run before its first, ended badly.
    package func fail(_ failure: Failure, of number: Int) {
        enqueue { display, state in
            state.tally.addFailure(receivedByteCount: state.open[number]?.progress?.receivedByteCount ?? 0)
            state.show(number, display.terminal) { $0.fail(failure, $1) }
            state.open[number] = nil
        }
    }

    /// All entries have ended.
    package func summarise() {
        enqueue { display, state in
            state.timer = nil
            state.show(0, display.terminal) { $0.summarise($1) }
        }
    }

    /// A signal ended the run. Only the first call shows anything, and nothing is shown after it.
    package func stop(by signal: Int32) {
        enqueue { display, state in
            let failure = state.failure(stoppedBy: signal)
            state.timer = nil
            state.show(state.onlyNumber ?? 0, display.terminal) { $0.stop(failure, $1) }
            state.isStopped = true
            // Each download holds the display, too.
            state.open = [:]
        }
    }

    /// Returns when everything so far has been written, at the latest after a time.
    ///
    /// - Parameter limit: How long a reader that does not read is waited for; `nil` for ever.
    package func flush(waitingAtMost limit: Duration? = nil) {
        let deadline: DispatchTime = if let limit { .now() + limit.inSeconds } else { .distantFuture }
        _ = mark().wait(timeout: deadline)
    }

    /// Returns when everything so far has been written, or when a reader that does not read is waited for in vain.
    ///
    /// - Parameter isStopped: Asked every tenth of a second of waiting.
    package func flush(unless isStopped: () -> Bool) {
        let mark = mark()
        while mark.wait(timeout: .now() + .milliseconds(100)) == .timedOut, !isStopped() {}
    }

    /// Is left once everything so far has been written.
    private func mark() -> DispatchGroup {
        let group = DispatchGroup()
        queue.async(group: group, execute: work)
        return group
    }

    /// Whether a reader would miss the event; the others come again, or tell only how it goes.
    private static func isEssential(_ event: DownloadEvent) -> Bool {
        switch event {
        case .started, .note: true
        case .connection, .retry, .phase, .detail: false
        }
    }

    private func enqueue(isEssential: Bool = true, _ step: @escaping Step) {
        let isFirst = backlog.withLock { steps in
            guard isEssential || steps.count < Self.longestBacklog else { return false }
            steps.append(step)
            return steps.count == 1
        }
        guard isFirst else { return }
        guard gathers else { return queue.async(execute: work) }
        queue.asyncAfter(deadline: .now() + Self.gathering, execute: work)
    }

    private func work() {
        state.withLock { state in
            while true {
                let steps = backlog.withLock { steps in
                    defer { steps = [] }
                    return steps
                }
                guard !steps.isEmpty else { break }
                for step in steps { step(self, &state) }
                state.write()
            }
        }
    }

    /// The first tick comes after one interval: a short download never pays for a frame.
    private func startTimer(_ state: inout DisplayState) {
        guard state.timer == nil, let interval = state.interval else { return }
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let period = DispatchTimeInterval.milliseconds(Int(interval.inSeconds * 1000))
        timer.schedule(deadline: .now() + period, repeating: period, leeway: .milliseconds(10))
        timer.setEventHandler { [weak self] in self?.tick() }
        timer.resume()
        state.timer = timer
    }

    private func tick() {
        state.withLock { state in
            guard state.timer != nil, !state.open.isEmpty else { return }
            state.show(state.onlyNumber ?? 0, terminal) { $0.tick($1) }
            state.write()
        }
    }
}
