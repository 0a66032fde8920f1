internal import SegmentedDownloadCore

extension RetryPolicy {
    /// The policy that a session's options ask for.
    ///
    /// - Parameter answered: Whether a usable answer has come already in this run.
    init(_ options: SessionOptions, answered: Bool = false) {
        self.init(
            maximumRounds: options.retryRounds,
            firstWait: options.retryWait,
            seed: UInt64.random(in: 0 ... .max)
        )
        if answered { receivedUsableAnswer() }
    }
}
