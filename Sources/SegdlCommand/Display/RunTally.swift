package import SegmentedDownload

/// What came of the entries of a run so far.
package struct RunTally: Sendable, Equatable {
    /// How many there are; `nil` where nobody knows yet.
    package var totalCount: Int?
    /// Files that were fetched, complete and in place.
    package var downloadedCount = 0
    /// Files that were there before and were accepted.
    package var existingCount = 0
    /// Entries that failed.
    package var failedCount = 0
    /// Body bytes that the entries that have ended received.
    package var receivedByteCount: Int64 = 0

    /// Nothing so far.
    package init() {}

    /// Files that are complete and in place.
    package var completeCount: Int { downloadedCount + existingCount }
    /// Entries that have ended.
    package var endedCount: Int { completeCount + failedCount }

    /// Counts an entry that ended well.
    package mutating func add(_ report: DownloadReport) {
        receivedByteCount += report.receivedByteCount
        switch report.outcome {
        case .downloaded: downloadedCount += 1
        case .existing: existingCount += 1
        }
    }

    /// Counts an entry that failed.
    ///
    /// - Parameter receivedByteCount: Body bytes that it received.
    package mutating func addFailure(receivedByteCount: Int64) {
        failedCount += 1
        self.receivedByteCount += receivedByteCount
    }
}

/// What came of several entries, in words.
package enum RunText {
    /// `12/1000 files`, and `12 files` where the whole is not known.
    package static func files(_ tally: RunTally) -> String {
        guard let total = tally.totalCount else { return counted(tally.endedCount) }
        return "\(tally.endedCount)/\(counted(total))"
    }

    /// The line at the end of a run of several entries: `988 files, 61.8 MiB in 3.2 s (19.3 MiB/s), failed: 12`.
    package static func summary(_ tally: RunTally, _ elapsed: Duration) -> String {
        guard tally.endedCount > 0 else { return "There is no URL in the list." }
        let seconds = elapsed.inSeconds
        let rate = seconds > 0 ? " (\(ByteText.rate(Double(tally.receivedByteCount) / seconds)))" : ""
        var text = "\(counted(tally.downloadedCount)), \(ByteText.text(tally.receivedByteCount)) in "
        text += TimeText.taken(elapsed) + rate
        if tally.failedCount > 0 { text += ", failed: \(tally.failedCount)" }
        if tally.existingCount > 0 { text += ", here already: \(tally.existingCount)" }
        return text
    }

    /// `12 of 1000 files are complete`.
    static func complete(_ tally: RunTally) -> String {
        let verb = tally.completeCount == 1 ? "is" : "are"
        guard let total = tally.totalCount else { return "\(counted(tally.completeCount)) \(verb) complete" }
        return "\(tally.completeCount) of \(counted(total)) \(verb) complete"
    }

    static func counted(_ count: Int) -> String {
        count == 1 ? "1 file" : "\(count) files"
    }
}
