package import SegmentedDownload

/// How a download ended well, in words.
package enum FinishText {
    /// `1.0 GiB in 0.9 s (1.1 GiB/s), verified by strong ETag`.
    package static func text(_ report: DownloadReport) -> String {
        switch report.outcome {
        case .existing: existing(report)
        case .downloaded: "\(amount(report)), \(verification(report.verification))"
        }
    }

    /// Whether something beyond the length says that the bytes of a download are the right ones. A file that was
    /// there before counts as verified by a checksum only, and sample blocks of a resource without validators prove too little.
    package static func isVerified(_ report: DownloadReport) -> Bool {
        report.verification == .checksum
            || report.outcome == .downloaded && [.strongETag, .lastModified].contains(report.verification)
    }

    private static func amount(_ report: DownloadReport) -> String {
        let length = ByteText.text(report.length)
        let seconds = report.elapsed.inSeconds
        let rate = seconds > 0 ? " (\(ByteText.rate(Double(report.receivedByteCount) / seconds)))" : ""
        let taken = "in \(TimeText.taken(report.elapsed))\(rate)"
        guard report.resumedByteCount > 0 else { return "\(length) \(taken)" }
        let resumed = "\(ByteText.text(report.resumedByteCount)) from an earlier run"
        return "\(length): \(resumed), \(ByteText.text(report.receivedByteCount)) \(taken)"
    }

    private static func verification(_ verification: DownloadReport.Verification) -> String {
        switch verification {
        case .checksum, .strongETag, .lastModified: "verified by \(verification.rawValue)"
        case .samples, .length: "not verified (only \(compared(verification)) compared)"
        case .none: "not verified"
        }
    }

    private static func existing(_ report: DownloadReport) -> String {
        let length = ByteText.text(report.length)
        guard report.verification != .none else { return "was here already (\(length)) and is left as it is" }
        guard report.verification != .checksum else {
            return "was here already (\(length)) and is accepted, verified by checksum"
        }
        return "was here already (\(length)) and is accepted, not verified (\(compared(report.verification)) compared)"
    }

    private static func compared(_ verification: DownloadReport.Verification) -> String {
        verification == .samples ? "length and sample blocks were" : "the length was"
    }
}
