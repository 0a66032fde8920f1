package import SegmentedDownload

/// Fetches the URLs one after the other.
package struct CommandRun: Sendable {
    /// Starts a download, as ``Session/start(_:onEvent:)`` does.
    package typealias Start =
        @Sendable (
            _ request: DownloadRequest,
            _ onEvent: @escaping @Sendable (DownloadEvent) -> Void
        ) -> RunningDownload

    private let options: Options
    private let display: Display
    private let signals: StopSignals
    private let start: Start

    /// A run.
    ///
    /// - Parameters:
    ///   - options: The options, completed.
    ///   - display: What shows it.
    ///   - signals: What may end it.
    ///   - start: Starts a download.
    package init(_ options: Options, display: Display, signals: StopSignals, start: @escaping Start) {
        self.options = options
        self.display = display
        self.signals = signals
        self.start = start
    }

    /// Tries all URLs, until a signal comes.
    ///
    /// - Returns: The exit status: that of the first URL that failed, or 0.
    package func fetchAll() -> Int32 {
        var status: Int32 = 0
        var triedCount = 0
        let takenPaths = TakenPaths()
        for (index, url) in options.urls.enumerated() where signals.signal == nil {
            display.begin(Entry(number: index + 1, count: options.urls.count, url: RedactedURL.text(of: url)))
            let entryStatus = fetch(url, takenPaths)
            if status == 0 { status = entryStatus }
            triedCount += 1
        }
        if let signal = signals.signal, status != 0 || triedCount < options.urls.count {
            display.stop(.stopped(by: signal, nil))
        }
        return status
    }

    private func fetch(_ url: String, _ takenPaths: TakenPaths) -> Int32 {
        var request = options.request
        request.url = url
        request.takenPaths = takenPaths
        let running = start(request) { [display] event in display.handle(event) }
        display.attach(running)
        signals.attach(running.cancel)
        do {
            let report = try running.wait()
            display.finish(report)
            return 0
        } catch {
            return ended(error, running)
        }
    }

    private func ended(_ error: DownloadError, _ running: RunningDownload) -> Int32 {
        guard let signal = signals.signal, error.kind == .cancelled else {
            let failure = Failure(error)
            display.fail(failure)
            return failure.status
        }
        display.stop(.stopped(by: signal, running.progress()))
        return 128 + signal
    }
}

extension Failure {
    /// A run that a signal ended: how far it was, and how to go on.
    ///
    /// - Parameters:
    ///   - signal: The signal.
    ///   - progress: Where the download stood; `nil` where there was none.
    /// - Returns: An error of the kind `cancelled`, with the status that a shell gives to the signal.
    package static func stopped(by signal: Int32, _ progress: DownloadProgress?) -> Failure {
        let percent = progress.flatMap { Percent.value(held: $0.heldByteCount, of: $0.length) }
        let place = percent.map { " at \($0) %" } ?? ""
        let error = DownloadError(.cancelled, "Stopped\(place); run the same command to go on.")
        return Failure(error: error, status: 128 + signal)
    }
}
