package import SegmentedDownload

/// One line on a terminal that is redrawn; messages go above it.
package struct BarPresenter: Presenter {
    private let style: BarText.Style
    private var messages: MessageText
    private var meter = RateMeter()
    private var line = BarLine()

    /// A bar.
    package init(_ messages: MessageText, style: BarText.Style) {
        self.messages = messages
        self.style = style
    }

    package var interval: Duration? { .milliseconds(100) }

    package func shows(_ event: DownloadEvent) -> Bool {
        messages.shows(event)
    }

    package mutating func begin(_ entry: Entry, _ snapshot: Snapshot) -> String {
        messages.begin(entry)
        meter = RateMeter()
        return ""
    }

    package mutating func handle(_ event: DownloadEvent, _ snapshot: Snapshot) -> String {
        if case .started(let start) = event { meter.add(byteCount: start.resumedByteCount, at: snapshot.elapsed) }
        return line.above(messages.line(for: event))
    }

    package mutating func tick(_ snapshot: Snapshot) -> String {
        measure(snapshot)
        return draw(snapshot)
    }

    package mutating func finish(_ report: DownloadReport, _ snapshot: Snapshot) -> String {
        // A bar that was seen ends at 100 %, whatever the last tick saw.
        let last = line.isEmpty || report.outcome == .existing ? "" : draw(snapshot)
        return last + line.clear() + messages.finished(report)
    }

    package mutating func fail(_ failure: Failure, _ snapshot: Snapshot) -> String {
        line.clear() + messages.failed(failure.error)
    }

    package mutating func stop(_ failure: Failure, _ snapshot: Snapshot) -> String {
        line.clear() + messages.stopped(failure.error)
    }

    package mutating func summarise(_ snapshot: Snapshot) -> String {
        ""
    }

    private mutating func measure(_ snapshot: Snapshot) {
        guard let progress = snapshot.progress, progress.phase == .transferring else { return }
        meter.add(byteCount: progress.heldByteCount, at: snapshot.elapsed)
    }

    private mutating func draw(_ snapshot: Snapshot) -> String {
        guard snapshot.isDrawable else { return "" }
        return line.draw(BarText.frame(name: messages.name, snapshot, meter, style))
    }
}
