package import SegmentedDownload

/// One line on a terminal that is redrawn, about all entries of a run; the lines about each go above it.
package struct BarListPresenter: EntryPresenter {
    package var messages: EntryMessages
    private var meter = RateMeter()
    private var line = BarLine()

    /// A bar.
    package init(_ messages: MessageText) {
        self.messages = EntryMessages(messages)
    }

    package var interval: Duration? { .milliseconds(100) }

    package mutating func handle(_ event: DownloadEvent, _ snapshot: Snapshot) -> String {
        line.above(messages.line(for: event, of: snapshot.number))
    }

    package mutating func tick(_ snapshot: Snapshot) -> String {
        guard snapshot.isDrawable else { return "" }
        let state = ListText.State(snapshot)
        meter.add(byteCount: state.receivedByteCount, at: snapshot.runElapsed)
        return line.draw(ListText.frame(state, meter, state.names(messages), width: snapshot.width))
    }

    package mutating func finish(_ report: DownloadReport, _ snapshot: Snapshot) -> String {
        line.above(messages.finished(report, of: snapshot.number))
    }

    package mutating func fail(_ failure: Failure, _ snapshot: Snapshot) -> String {
        line.above(messages.failed(failure.error, of: snapshot.number))
    }

    package mutating func stop(_ failure: Failure, _ snapshot: Snapshot) -> String {
        line.clear() + messages.general.stopped(failure.error)
    }

    package mutating func summarise(_ snapshot: Snapshot) -> String {
        line.clear() + messages.general.alone(RunText.summary(snapshot.run, snapshot.runElapsed))
    }
}
