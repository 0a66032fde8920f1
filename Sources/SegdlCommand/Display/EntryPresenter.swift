package import SegmentedDownload

/// A presenter whose lines about each entry bear that entry's label. By default it says them as they come, and nothing
/// between.
package protocol EntryPresenter: Presenter {
    /// The sentences.
    var messages: EntryMessages { get set }
}

extension EntryPresenter {
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
        ""
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
