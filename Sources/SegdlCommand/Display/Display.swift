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

    private struct State {
        var channels: [Channel]
        var running: RunningDownload?
        var beginning = ContinuousClock.now
        var timer: (any DispatchSourceTimer)?
        /// Nothing is shown after the line that says how to go on.
        var isStopped = false
    }

    private let queue = DispatchQueue(label: "segdl.display")
    private let terminal: Terminal
    private let shows: @Sendable (DownloadEvent) -> Bool
    /// Only touched on the queue; the lock says so to the compiler.
    private let state: Locked<State>

    /// A display.
    ///
    /// - Parameters:
    ///   - channels: What is shown, and where.
    ///   - terminal: The terminal that is drawn on.
    package init(channels: [Channel], terminal: Terminal) {
        self.terminal = terminal
        shows = { event in channels.contains { $0.presenter.shows(event) } }
        state = Locked(State(channels: channels))
    }

    /// A URL's turn has come.
    package func begin(_ entry: Entry) {
        enqueue { display, state in
            state.running = nil
            state.beginning = .now
            display.show(&state) { $0.begin(entry, $1) }
            display.startTimer(&state)
        }
    }

    /// The entry's download is there, and can be asked how far it is.
    package func attach(_ running: RunningDownload) {
        enqueue { _, state in state.running = running }
    }

    /// Something happened to the entry.
    package func handle(_ event: DownloadEvent) {
        guard shows(event) else { return }
        enqueue { display, state in display.show(&state) { $0.handle(event, $1) } }
    }

    /// The entry ended well.
    package func finish(_ report: DownloadReport) {
        end { $0.finish(report, $1) }
    }

    /// The entry, or the whole run, ended badly.
    package func fail(_ failure: Failure) {
        end { $0.fail(failure, $1) }
    }

    /// A signal ended the run. Only the first call shows anything, and nothing is shown after it.
    package func stop(_ failure: Failure) {
        end { $0.stop(failure, $1) }
        enqueue { _, state in state.isStopped = true }
    }

    /// Returns when everything so far has been written, at the latest after a time.
    ///
    /// - Parameter limit: How long a reader that does not read is waited for; `nil` for ever.
    package func flush(waitingAtMost limit: Duration? = nil) {
        let group = DispatchGroup()
        queue.async(group: group) {}
        let deadline: DispatchTime = if let limit { .now() + limit.inSeconds } else { .distantFuture }
        _ = group.wait(timeout: deadline)
    }

    private func enqueue(_ body: @escaping @Sendable (Display, inout State) -> Void) {
        queue.async { self.state.withLock { body(self, &$0) } }
    }

    private func end(_ text: @escaping @Sendable (inout any Presenter, Snapshot) -> String) {
        enqueue { display, state in
            state.timer?.cancel()
            state.timer = nil
            display.show(&state, text)
        }
    }

    /// The first tick comes after one interval: a short download never pays for a frame.
    private func startTimer(_ state: inout State) {
        guard let interval = state.channels.compactMap({ $0.presenter.interval }).min() else { return }
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let period = DispatchTimeInterval.milliseconds(Int(interval.inSeconds * 1000))
        timer.schedule(deadline: .now() + period, repeating: period, leeway: .milliseconds(10))
        // Held until the timer is cancelled, at the end of the entry or at the stop.
        timer.setEventHandler { [self] in
            self.state.withLock { self.show(&$0) { $0.tick($1) } }
        }
        timer.resume()
        state.timer = timer
    }

    private func show(_ state: inout State, _ text: (inout any Presenter, Snapshot) -> String) {
        guard !state.isStopped else { return }
        let snapshot = snapshot(state)
        for index in state.channels.indices {
            state.channels[index].stream.write(text(&state.channels[index].presenter, snapshot))
        }
    }

    private func snapshot(_ state: State) -> Snapshot {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let running = state.running
        return Snapshot(
            progress: running.map { $0.progress() },
            elapsed: ContinuousClock.now - state.beginning,
            unixTime: Double(now.tv_sec) + Double(now.tv_nsec) / 1e9,
            width: terminal.width,
            isDrawable: terminal.isDrawable,
            segmentMap: { cellCount in running.map { $0.segmentMap(cellCount) } ?? [] }
        )
    }
}
