package import SegmentedDownload

/// One JSON object a line. `docs/json-events.md` describes every member; what is there never changes its meaning
/// without a new schema version.
package struct JSONPresenter: Presenter {
    /// The version of what is printed.
    package static let schemaVersion = 1

    /// What is known of an open entry.
    private struct Open {
        let url: String
        var meter = RateMeter()
    }

    private var open: [Int: Open] = [:]
    private var hasSeveralEntries = false
    private var hasPrinted = false

    /// Nothing printed so far.
    package init() {}

    package var interval: Duration? { .milliseconds(500) }

    package func shows(_ event: DownloadEvent) -> Bool {
        if case .detail = event { false } else { true }
    }

    package mutating func begin(_ entry: Entry, _ snapshot: Snapshot) -> String {
        hasSeveralEntries = entry.isOneOfSeveral
        open[entry.number] = Open(url: entry.url)
        return ""
    }

    package mutating func handle(_ event: DownloadEvent, _ snapshot: Snapshot) -> String {
        switch event {
        case .started(let start):
            open[snapshot.number]?.meter.add(byteCount: start.resumedByteCount, at: snapshot.elapsed)
            return line("start", snapshot) { Self.add(start, to: &$0) }
        case .connection(let connection):
            return line("connection", snapshot) {
                $0.add("connection", connection.number)
                $0.add("change", connection.change.rawValue)
                $0.add("reason", connection.reason)
            }
        case .retry(let retry):
            return line("retry", snapshot) {
                $0.add("round", retry.round)
                $0.add("wait", milli: retry.wait.inSeconds)
                $0.add("reason", retry.reason)
            }
        case .note(let sentence): return line("note", snapshot) { $0.add("message", sentence) }
        case .phase(let phase):
            // By now a short one may be over.
            var entry = snapshot.entry
            entry.progress?.phase = phase
            return progress(entry, snapshot)
        case .detail: return ""
        }
    }

    package mutating func tick(_ snapshot: Snapshot) -> String {
        // The last event of an entry that has ended comes with its end.
        snapshot.open().filter { $0.progress?.phase != .ended }.map { progress($0, snapshot) }.joined()
    }

    package mutating func finish(_ report: DownloadReport, _ snapshot: Snapshot) -> String {
        // The last progress event is the complete one, for those who only draw.
        let last = report.outcome == .downloaded ? progress(snapshot.entry, snapshot) : ""
        open[snapshot.number] = nil
        return last
            + line("finish", snapshot) {
                $0.add("path", report.path)
                $0.add("status", 0)
                $0.add("outcome", report.outcome.rawValue)
                $0.add("seconds", milli: report.elapsed.inSeconds)
                $0.add("length", report.length)
                $0.add("bytes", report.receivedByteCount)
                $0.add("refetched", report.refetchedByteCount)
                $0.add("resumed", report.resumedByteCount)
                $0.add("verified", FinishText.isVerified(report))
                $0.add("verification", report.verification.rawValue)
            }
    }

    package mutating func fail(_ failure: Failure, _ snapshot: Snapshot) -> String {
        defer { open[snapshot.number] = nil }
        return error(failure, of: snapshot.number, snapshot)
    }

    package mutating func stop(_ failure: Failure, _ snapshot: Snapshot) -> String {
        guard hasSeveralEntries else { return error(failure, of: 1, snapshot) }
        return snapshot.open().map { error(failure, of: $0.number, snapshot) }.joined() + summarise(snapshot)
    }

    package mutating func summarise(_ snapshot: Snapshot) -> String {
        let tally = snapshot.run
        return line("summary", of: 0, snapshot) {
            $0.add("files", tally.totalCount)
            $0.add("downloaded", tally.downloadedCount)
            $0.add("existing", tally.existingCount)
            $0.add("failed", tally.failedCount)
            $0.add("bytes", tally.receivedByteCount)
            $0.add("seconds", milli: snapshot.runElapsed.inSeconds)
        }
    }

    private mutating func error(_ failure: Failure, of number: Int, _ snapshot: Snapshot) -> String {
        let url = failure.error.url ?? open[number]?.url ?? ""
        return line("error", of: number, snapshot) {
            $0.add("kind", failure.error.kind.rawValue)
            $0.add("status", failure.status)
            $0.add("message", failure.error.description)
            if !url.isEmpty { $0.add("url", url) }
        }
    }

    private static func add(_ start: DownloadEvent.Start, to object: inout JSONObject) {
        object.add("url", start.url)
        object.add("path", start.path)
        object.add("length", start.length)
        object.add("segments", start.segmentCount)
        object.add("resumed", start.resumedByteCount)
        object.add("singleStream", start.isSingleStream)
    }

    private mutating func progress(_ entry: OpenEntry, _ snapshot: Snapshot) -> String {
        guard let progress = entry.progress else { return "" }
        if progress.phase == .transferring {
            open[entry.number]?.meter.add(byteCount: progress.heldByteCount, at: entry.elapsed)
        }
        let meter = open[entry.number]?.meter ?? RateMeter()
        let left = progress.length.map { $0 - progress.heldByteCount }
        return line("progress", of: entry.number, snapshot) {
            $0.add("phase", progress.phase.rawValue)
            $0.add("bytes", progress.heldByteCount)
            $0.add("length", progress.length)
            $0.add("received", progress.receivedByteCount)
            $0.add("hashed", progress.hashedByteCount)
            $0.add("rate", milli: meter.bytesPerSecond ?? 0)
            $0.add("eta", left.flatMap { meter.secondsLeft(for: $0) })
            $0.add("connections", progress.connectionCount)
            $0.add("connectionBytes", progress.connectionByteCounts)
        }
    }

    private mutating func line(
        _ event: String,
        _ snapshot: Snapshot,
        _ addMembers: (inout JSONObject) -> Void
    ) -> String {
        line(event, of: snapshot.number, snapshot, addMembers)
    }

    private mutating func line(
        _ event: String,
        of number: Int,
        _ snapshot: Snapshot,
        _ addMembers: (inout JSONObject) -> Void
    ) -> String {
        var object = JSONObject()
        if !hasPrinted { object.add("schema", Self.schemaVersion) }
        hasPrinted = true
        object.add("event", event)
        object.add("time", milli: snapshot.unixTime)
        object.add("file", number)
        addMembers(&object)
        return object.line
    }
}

extension Snapshot {
    /// The entry that it is about, as one of those that are open.
    fileprivate var entry: OpenEntry { OpenEntry(number: number, progress: progress, elapsed: elapsed) }
}
