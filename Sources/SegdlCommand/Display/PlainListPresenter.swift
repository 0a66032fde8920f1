package import SegmentedDownload

/// Lines without control codes for a run of several entries: one for each that ended, and one about all of them every
/// few seconds at most.
package struct PlainListPresenter: Presenter {
    /// A line that says that nothing moved comes every so many intervals.
    private static let patience = 6
    /// How many open files a line names.
    private static let namedCount = 3

    private var messages: EntryMessages
    private var meter = RateMeter()
    private var last: (endedCount: Int, byteCount: Int64) = (0, 0)
    private var silentTicks = 0

    /// Plain lines.
    package init(_ messages: MessageText) {
        self.messages = EntryMessages(messages)
    }

    package var interval: Duration? { .seconds(5) }

    package func shows(_ event: DownloadEvent) -> Bool {
        messages.general.shows(event)
    }

    package mutating func begin(_ entry: Entry, _ snapshot: Snapshot) -> String {
        messages.begin(entry)
        return ""
    }

    package mutating func handle(_ event: DownloadEvent, _ snapshot: Snapshot) -> String {
        messages.line(for: event, of: snapshot.number)
    }

    package mutating func tick(_ snapshot: Snapshot) -> String {
        let state = ListText.State(snapshot)
        meter.add(byteCount: state.receivedByteCount, at: snapshot.runElapsed)
        silentTicks += 1
        let hasMoved = last != (snapshot.run.endedCount, state.receivedByteCount)
        guard hasMoved || silentTicks >= Self.patience else { return "" }
        last = (snapshot.run.endedCount, state.receivedByteCount)
        silentTicks = 0
        let names = state.names(messages).prefix(Self.namedCount)
        let open = names.isEmpty ? [] : ["at " + names.joined(separator: ", ")]
        return messages.general.alone((ListText.fields(state, meter) + open).joined(separator: ", "))
    }

    package mutating func finish(_ report: DownloadReport, _ snapshot: Snapshot) -> String {
        messages.finished(report, of: snapshot.number)
    }

    package mutating func fail(_ failure: Failure, _ snapshot: Snapshot) -> String {
        messages.failed(failure.error, of: snapshot.number)
    }

    package mutating func stop(_ failure: Failure, _ snapshot: Snapshot) -> String {
        messages.general.stopped(failure.error)
    }

    package mutating func summarise(_ snapshot: Snapshot) -> String {
        messages.general.alone(RunText.summary(snapshot.run, snapshot.runElapsed))
    }
}
