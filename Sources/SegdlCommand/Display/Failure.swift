package import SegmentedDownload

/// How an entry ended badly.
package struct Failure: Sendable {
    /// Why.
    package var error: DownloadError
    /// The exit status that it means.
    package var status: Int32

    /// A failure.
    package init(error: DownloadError, status: Int32) {
        self.error = error
        self.status = status
    }
}

extension Failure {
    /// A run of one entry that a signal ended: how far it was, and how to go on.
    ///
    /// - Parameters:
    ///   - signal: The signal.
    ///   - progress: Where the download stood; `nil` where there was none.
    /// - Returns: An error of the kind `cancelled`, with the status that a shell gives to the signal.
    package static func stopped(by signal: Int32, _ progress: DownloadProgress?) -> Failure {
        guard let progress, progress.receivedByteCount > 0 || progress.heldByteCount > 0 else {
            return stopped(by: signal, "")
        }
        guard progress.heldByteCount > 0 else {
            return stopped(by: signal, ", with nothing kept", "run the same command to begin again")
        }
        let percent = Percent.value(held: progress.heldByteCount, of: progress.length)
        return stopped(by: signal, percent.map { " at \($0) %" } ?? "")
    }

    /// A run of several entries that a signal ended: how many are complete, and how to go on.
    package static func stopped(by signal: Int32, _ tally: RunTally) -> Failure {
        stopped(by: signal, ": \(RunText.complete(tally))")
    }

    private static func stopped(
        by signal: Int32,
        _ place: String,
        _ advice: String = "run the same command to go on"
    ) -> Failure {
        let error = DownloadError(.cancelled, "Stopped\(place); \(advice).")
        return Failure(error: error, status: 128 + signal)
    }
}
