import Dispatch
import SegmentedDownload

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// What a ``Display`` knows, on its queue.
struct DisplayState {
    /// An entry that has begun and not ended.
    struct Open {
        let beginning: ContinuousClock.Instant
        var running: RunningDownload?

        init(beginning: ContinuousClock.Instant) {
            self.beginning = beginning
        }

        var progress: DownloadProgress? { running?.progress() }
    }

    let hasSeveralEntries: Bool
    var open: [Int: Open] = [:]
    var tally = RunTally()
    var timer: (any DispatchSourceTimer)? {
        didSet { if timer == nil { oldValue?.cancel() } }
    }
    /// Nothing is shown after the line that says how to go on.
    var isStopped = false

    private var channels: [Display.Channel]
    /// What is to be written to each of them.
    private var texts: [String]
    private let beginning = ContinuousClock.now

    init(_ channels: [Display.Channel], hasSeveralEntries: Bool) {
        self.channels = channels
        self.hasSeveralEntries = hasSeveralEntries
        texts = channels.map { _ in "" }
        if !hasSeveralEntries { tally.totalCount = 1 }
    }

    /// How a run ends that a signal stops now.
    func failure(stoppedBy signal: Int32) -> Failure {
        hasSeveralEntries
            ? .stopped(by: signal, tally) : .stopped(by: signal, open.values.first?.progress)
    }

    /// How often a tick is wanted; `nil` for never.
    var interval: Duration? { channels.compactMap({ $0.presenter.interval }).min() }

    /// The number of the open entry, where there is one alone.
    var onlyNumber: Int? { open.count == 1 ? open.keys.first : nil }

    /// Makes the text of one step, for ``write()``.
    ///
    /// - Parameters:
    ///   - number: The entry that it is about; 0 for the whole run.
    ///   - terminal: The terminal that is drawn on.
    ///   - text: Asks a presenter.
    mutating func show(_ number: Int, _ terminal: Terminal, _ text: (inout any Presenter, Snapshot) -> String) {
        guard !isStopped else { return }
        let snapshot = snapshot(number, terminal)
        for index in channels.indices { texts[index] += text(&channels[index].presenter, snapshot) }
    }

    /// Writes what was made.
    mutating func write() {
        for index in channels.indices where !texts[index].isEmpty {
            channels[index].stream.write(texts[index])
            texts[index] = ""
        }
    }

    private func snapshot(_ number: Int, _ terminal: Terminal) -> Snapshot {
        let time = ContinuousClock.now
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let entry = open[number]
        let running = entry?.running
        return Snapshot(
            number: number,
            progress: running?.progress(),
            elapsed: time - (entry?.beginning ?? time),
            unixTime: Double(now.tv_sec) + Double(now.tv_nsec) / 1e9,
            width: terminal.width,
            isDrawable: terminal.isDrawable,
            segmentMap: { cellCount in running.map { $0.segmentMap(cellCount) } ?? [] },
            run: tally,
            runElapsed: time - beginning,
            open: { [open] in Self.openEntries(open, at: time) }
        )
    }

    private static func openEntries(_ open: [Int: Open], at time: ContinuousClock.Instant) -> [OpenEntry] {
        open.sorted { $0.key < $1.key }.map { number, entry in
            OpenEntry(number: number, progress: entry.progress, elapsed: time - entry.beginning)
        }
    }
}
