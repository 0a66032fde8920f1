package import SegmentedDownload

/// No progress: messages, the line at the end, and errors.
package struct SilentPresenter: Presenter {
    private var messages: MessageText

    /// No progress.
    package init(_ messages: MessageText) {
        self.messages = messages
    }

    package var interval: Duration? { nil }

    package func shows(_ event: DownloadEvent) -> Bool {
        messages.shows(event)
    }

    package mutating func begin(_ entry: Entry, _ snapshot: Snapshot) -> String {
        messages.begin(entry)
        return ""
    }

    package mutating func handle(_ event: DownloadEvent, _ snapshot: Snapshot) -> String {
        messages.line(for: event)
    }

    package mutating func tick(_ snapshot: Snapshot) -> String {
        ""
    }

    package mutating func finish(_ report: DownloadReport, _ snapshot: Snapshot) -> String {
        messages.finished(report)
    }

    package mutating func fail(_ failure: Failure, _ snapshot: Snapshot) -> String {
        messages.failed(failure.error)
    }

    package mutating func stop(_ failure: Failure, _ snapshot: Snapshot) -> String {
        messages.stopped(failure.error)
    }
}
