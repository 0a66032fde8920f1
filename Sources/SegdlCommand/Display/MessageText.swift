package import SegmentedDownload

/// The sentences on standard error, which bar, plain lines and silence share. Each ends with a line feed.
package struct MessageText: Sendable {
    /// How much is said.
    package var verbosity: Options.Verbosity
    /// Whether characters beyond ASCII are replaced.
    package var isASCII: Bool
    /// What stands before each line: the file's path once it is known, the URL before.
    package private(set) var label = ""
    /// The last part of that path or URL.
    package var name: String { label.split(separator: "/").last.map(String.init) ?? label }
    private var entry = Entry(number: 1, isOneOfSeveral: false, url: "")

    /// Sentences.
    package init(verbosity: Options.Verbosity, isASCII: Bool) {
        self.verbosity = verbosity
        self.isASCII = isASCII
    }

    /// A URL's turn has come.
    package mutating func begin(_ entry: Entry) {
        self.entry = entry
        label = shown(entry.url)
    }

    /// Whether ``line(for:)`` has any use for the event.
    package func shows(_ event: DownloadEvent) -> Bool {
        switch event {
        case .started, .note, .retry: verbosity != .quiet
        case .connection, .phase, .detail: verbosity == .verbose
        }
    }

    /// What is said about an event beside the progress.
    package mutating func line(for event: DownloadEvent) -> String {
        switch event {
        case .started(let start):
            label = shown(start.path)
            return resumed(start)
        case .note(let sentence): return labelled(sentence)
        case .retry(let retry): return self.retry(retry)
        case .connection(let connection): return verbose(Self.text(connection))
        case .phase(let phase): return verbose("now \(phase.rawValue)")
        case .detail(let sentence): return verbose(sentence)
        }
    }

    /// The line that says how an entry ended well.
    package func finished(_ report: DownloadReport) -> String {
        guard verbosity != .quiet else { return "" }
        return "\(shown(report.path)): \(shown(FinishText.text(report)))\n"
    }

    /// The line that says why it did not.
    package func failed(_ error: DownloadError) -> String {
        "segdl: \(shown(place(of: error) + error.description))\n"
    }

    /// The last line of a run that a signal ended.
    package func stopped(_ error: DownloadError) -> String {
        alone(error.message)
    }

    /// A sentence about the whole run; nothing where only errors are printed.
    package func alone(_ sentence: String) -> String {
        verbosity == .quiet ? "" : "\(shown(sentence))\n"
    }

    /// A sentence after the label, where it is about an entry; nothing where only errors are printed.
    package func labelled(_ sentence: String) -> String {
        guard verbosity != .quiet, !label.isEmpty else { return alone(sentence) }
        return "\(label): \(shown(sentence))\n"
    }

    /// The URL, where there are several and the sentence does not name it; where the error has none, the entry's.
    private func place(of error: DownloadError) -> String {
        let url = error.url ?? entry.url
        guard entry.isOneOfSeveral, error.description.firstRange(of: url) == nil else { return "" }
        return "\(url): "
    }

    private func verbose(_ sentence: String) -> String {
        verbosity == .verbose ? labelled(sentence) : ""
    }

    private func resumed(_ start: DownloadEvent.Start) -> String {
        guard start.resumedByteCount > 0 else { return "" }
        let whole = start.length.map { " of \(ByteText.text($0))" } ?? ""
        return labelled("\(ByteText.text(start.resumedByteCount))\(whole) are here from an earlier run")
    }

    /// From here on a wait needs a reason, or it looks like a program that hangs.
    private static let longWait = Duration.seconds(3)

    /// Retries after which bytes came again are the server's way of working, and only for those who ask; but not
    /// where the host asked for a long wait.
    private func retry(_ retry: DownloadEvent.Retry) -> String {
        let wait = DecimalText.shortest(retry.wait.inSeconds)
        let sentence = "\(retry.reason); trying again in \(wait) s"
        if retry.round > 0 { return labelled("\(sentence) (round \(retry.round))") }
        return retry.wait >= Self.longWait ? labelled(sentence) : verbose(sentence)
    }

    private static func text(_ connection: DownloadEvent.Connection) -> String {
        let reason = connection.reason.isEmpty ? "" : ": \(connection.reason)"
        return "connection \(connection.number) \(connection.change.rawValue)\(reason)"
    }

    private func shown(_ text: String) -> String {
        let path = text.hasPrefix("./") ? String(text.dropFirst(2)) : text
        return Terminal.sanitised(path, isASCII: isASCII)
    }
}
