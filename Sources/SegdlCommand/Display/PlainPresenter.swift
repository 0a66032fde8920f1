package import SegmentedDownload

/// Lines without control codes: one at the start, one every few seconds at most, one at the end.
package struct PlainPresenter: Presenter {
    /// A line that says that nothing moved comes every so many intervals.
    private static let patience = 6

    private var messages: MessageText
    private var meter = RateMeter()
    private var lastDone: Int64 = 0
    private var lastPhase: DownloadProgress.Phase?
    private var silentTicks = 0

    /// Plain lines.
    package init(_ messages: MessageText) {
        self.messages = messages
    }

    package var interval: Duration? { .seconds(5) }

    package func shows(_ event: DownloadEvent) -> Bool {
        messages.shows(event)
    }

    package mutating func begin(_ entry: Entry, _ snapshot: Snapshot) -> String {
        messages.begin(entry)
        meter = RateMeter()
        (lastDone, lastPhase, silentTicks) = (0, nil, 0)
        return ""
    }

    package mutating func handle(_ event: DownloadEvent, _ snapshot: Snapshot) -> String {
        let lines = messages.line(for: event)
        guard case .started(let start) = event else { return lines }
        meter.add(byteCount: start.resumedByteCount, at: snapshot.elapsed)
        lastDone = start.resumedByteCount
        let length = start.length.map(ByteText.text) ?? "unknown length"
        return lines.isEmpty ? messages.labelled("\(length) from \(start.url)") : lines
    }

    package mutating func tick(_ snapshot: Snapshot) -> String {
        guard let progress = snapshot.progress else { return "" }
        silentTicks += 1
        let hasMoved = progress.doneByteCount != lastDone || progress.phase != lastPhase
        if progress.phase == .transferring { meter.add(byteCount: progress.heldByteCount, at: snapshot.elapsed) }
        guard hasMoved || silentTicks >= Self.patience else { return "" }
        (lastDone, lastPhase, silentTicks) = (progress.doneByteCount, progress.phase, 0)
        return messages.labelled(ProgressText.text(progress, meter))
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

    package mutating func summarise(_ snapshot: Snapshot) -> String {
        ""
    }
}

/// Where a download stands, in one line of words.
package enum ProgressText {
    /// `43 %, 441.2 MiB of 1.0 GiB, 112.3 MiB/s, 0:05 left, 8 connections`.
    package static func text(_ progress: DownloadProgress, _ meter: RateMeter) -> String {
        let done = ByteText.text(progress.doneByteCount)
        var parts: [String] = []
        if let percent = Percent.value(held: progress.doneByteCount, of: progress.length), let length = progress.length
        {
            parts = ["\(percent) %", "\(done) of \(ByteText.text(length))"]
        } else if progress.phase != .probing {
            parts = [done]
        }
        guard progress.phase == .transferring else {
            return (parts + [progress.phase == .probing ? "asking the server" : progress.phase.rawValue])
                .joined(separator: ", ")
        }
        if let rate = meter.bytesPerSecond { parts.append(ByteText.rate(rate)) }
        if let length = progress.length, let seconds = meter.secondsLeft(for: length - progress.heldByteCount) {
            parts.append("\(TimeText.clock(seconds)) left")
        }
        parts.append(progress.connectionCount == 1 ? "1 connection" : "\(progress.connectionCount) connections")
        return parts.joined(separator: ", ")
    }
}
