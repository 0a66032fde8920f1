internal import SegmentedDownloadLocking
import Dispatch
import SegmentedDownload

/// Fetches the entries of a run: the next one begins as soon as those that are open can't use a free connection.
package struct CommandRun: Sendable {
    /// What the entries' ends leave behind.
    private struct Ends {
        /// The first entry, in their order, that failed.
        var firstFailure: (number: Int, status: Int32)?
        /// Whether a signal ended one.
        var hasStopped = false
    }

    /// So often the display is waited for: what a reader that does not read holds up stays bounded.
    private static let entriesAhead = 512

    private let options: Options
    private let session: RunningSession
    private let display: Display
    private let signals: StopSignals
    private let takenPaths: TakenPaths?
    private let deadline: ContinuousClock.Instant?
    private let ends = Locked(Ends())
    private let open = DispatchGroup()

    /// A run.
    ///
    /// - Parameters:
    ///   - options: The options, completed.
    ///   - session: Fetches.
    ///   - display: What shows it.
    ///   - signals: What may end it.
    package init(_ options: Options, session: RunningSession, display: Display, signals: StopSignals) {
        self.options = options
        self.session = session
        self.display = display
        self.signals = signals
        takenPaths = options.hasSeveralEntries ? TakenPaths() : nil
        deadline = options.session.maximumTime.map { .now + $0 }
    }

    /// Tries all entries, until a signal comes.
    ///
    /// - Parameter source: The entries.
    /// - Returns: The exit status: that of the first entry that failed, or 0.
    package func fetchAll(_ source: consuming EntrySource) -> Int32 {
        signals.attach(session.cancel)
        if let count = source.count { display.expect(entryCount: count) }
        var number = 0
        while !isStopped(), !source.isExhausted {
            let item = source.next { isStopped() || isOverdue() }
            if item == nil, isStopped() || source.isExhausted { break }
            number += 1
            guard let item, !isOverdue() else {
                fail(Self.overdue, number, url: item?.url ?? "")
                break
            }
            fetch(item, number)
            if number.isMultiple(of: Self.entriesAhead) { display.flush(unless: isStopped) }
        }
        open.wait()
        return end(entryCount: number, isAtEnd: source.isExhausted)
    }

    private func isStopped() -> Bool { signals.signal != nil }

    private func isOverdue() -> Bool { deadline.map { $0 < .now } ?? false }

    /// One sentence for all that is left: a list may have thousands of entries.
    private static let overdue = DownloadError(
        .network,
        "The time of the whole run (--max-time) is over before this entry and those after it; run the same command to go on."
    )

    private func end(entryCount: Int, isAtEnd: Bool) -> Int32 {
        let ends = ends.withLock { $0 }
        if isAtEnd { display.expect(entryCount: entryCount) }
        if let signal = signals.signal, ends.hasStopped || !isAtEnd || ends.firstFailure != nil {
            display.stop(by: signal)
        } else if options.hasSeveralEntries {
            display.summarise()
        }
        return ends.firstFailure?.status ?? 0
    }

    private func fetch(_ item: ListParser.Item, _ number: Int) {
        switch item {
        case .failure(let error):
            fail(error, number, url: item.url)
        case .success(let entry):
            guard session.waitForRoom() else { return ends.withLock { $0.hasStopped = true } }
            fetch(entry, number)
        }
    }

    private func fetch(_ entry: ListEntry, _ number: Int) {
        let url = RedactedURL.text(of: entry.url)
        display.begin(Entry(number: number, isOneOfSeveral: options.hasSeveralEntries, url: url))
        var request = entry.request(from: options.request)
        request.takenPaths = takenPaths
        // Most files of a list are small: a request for each would be half of the time.
        request.skipsHead = number > options.urls.count
        let running = session.start(request) { [display] event in display.handle(event, of: number) }
        display.attach(running, to: number)
        open.enter()
        running.whenEnded { outcome in
            ended(outcome, number)
            open.leave()
        }
    }

    /// An entry for which nothing is fetched.
    private func fail(_ error: DownloadError, _ number: Int, url: String) {
        display.begin(Entry(number: number, isOneOfSeveral: true, url: url))
        failed(error, number)
    }

    private func ended(_ outcome: RunningDownload.Outcome, _ number: Int) {
        switch outcome {
        case .success(let report): display.finish(report, of: number)
        case .failure(let error) where error.kind == .cancelled && isStopped(): ends.withLock { $0.hasStopped = true }
        case .failure(let error): failed(error, number)
        }
    }

    private func failed(_ error: DownloadError, _ number: Int) {
        let failure = Failure(error)
        ends.withLock { ends in
            if let first = ends.firstFailure, first.number < number { return }
            ends.firstFailure = (number, failure.status)
        }
        display.fail(failure, of: number)
    }
}

extension ListParser.Item {
    /// Its URL, redacted; empty where none is known.
    fileprivate var url: String {
        switch self {
        case .success(let entry): RedactedURL.text(of: entry.url)
        case .failure(let error): error.url ?? ""
        }
    }
}
