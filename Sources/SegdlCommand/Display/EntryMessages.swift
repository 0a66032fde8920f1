package import SegmentedDownload

/// The sentences about the entries of a run, each with its own label.
package struct EntryMessages: Sendable {
    /// The sentences about the run, and about entries that are not open.
    package let general: MessageText
    private var open: [Int: MessageText] = [:]

    /// Sentences.
    package init(_ general: MessageText) {
        self.general = general
    }

    /// The sentences about an entry.
    package subscript(number: Int) -> MessageText { open[number] ?? general }

    /// An entry's turn has come.
    package mutating func begin(_ entry: Entry) {
        var messages = general
        messages.begin(entry)
        open[entry.number] = messages
    }

    /// What is said about an event of an entry beside the progress.
    package mutating func line(for event: DownloadEvent, of number: Int) -> String {
        var messages = self[number]
        let line = messages.line(for: event)
        if open[number] != nil { open[number] = messages }
        return line
    }

    /// The line that says how an entry ended well.
    package mutating func finished(_ report: DownloadReport, of number: Int) -> String {
        defer { open[number] = nil }
        return self[number].finished(report)
    }

    /// The line that says why an entry did not.
    package mutating func failed(_ error: DownloadError, of number: Int) -> String {
        defer { open[number] = nil }
        return self[number].failed(error)
    }
}
