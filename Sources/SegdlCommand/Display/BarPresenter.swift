package import SegmentedDownload

/// One line on a terminal that is redrawn; messages go above it.
package struct BarPresenter: Presenter {
    private static let erase = "\r\u{1B}[K"

    private let style: BarText.Style
    private var messages: MessageText
    private var meter = RateMeter()
    /// What stands on the terminal's last line.
    private var frame = ""

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
        return above(messages.line(for: event))
    }

    package mutating func tick(_ snapshot: Snapshot) -> String {
        measure(snapshot)
        return draw(snapshot)
    }

    package mutating func finish(_ report: DownloadReport, _ snapshot: Snapshot) -> String {
        // A bar that was seen ends at 100 %, whatever the last tick saw.
        let last = frame.isEmpty || report.outcome == .existing ? "" : draw(snapshot)
        return last + clear() + messages.finished(report)
    }

    package mutating func fail(_ failure: Failure, _ snapshot: Snapshot) -> String {
        clear() + messages.failed(failure.error)
    }

    package mutating func stop(_ failure: Failure, _ snapshot: Snapshot) -> String {
        clear() + messages.stopped(failure.error)
    }

    private mutating func measure(_ snapshot: Snapshot) {
        guard let progress = snapshot.progress, progress.phase == .transferring else { return }
        meter.add(byteCount: progress.heldByteCount, at: snapshot.elapsed)
    }

    private mutating func draw(_ snapshot: Snapshot) -> String {
        guard snapshot.isDrawable else { return "" }
        let name = messages.label.split(separator: "/").last.map(String.init) ?? messages.label
        frame = BarText.frame(name: name, snapshot, meter, style)
        return Self.erase + frame
    }

    private mutating func clear() -> String {
        defer { frame = "" }
        return frame.isEmpty ? "" : Self.erase
    }

    private func above(_ lines: String) -> String {
        lines.isEmpty || frame.isEmpty ? lines : Self.erase + lines + frame
    }
}
