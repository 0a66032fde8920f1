internal import SegmentedDownloadCore

/// How an attempt to transfer a file ended: in segments, or as one stream.
enum TransferEnding: Sendable {
    /// Every byte is written; the file's length.
    case complete(length: Int64)
    /// An answer was about another resource than the known one, or so it seems; and what it was about.
    case changed(Rejection, seen: Resource?)
    /// The final address does not serve the file any more; the original one may lead to another.
    case moved(DownloadError)
    /// The server's ranges can't be used.
    case unusableRanges(Rejection)
    /// A stream brought other bytes than those held.
    case heldBytesDiffer
    case failed(DownloadError)
}

extension TransferEnding {
    /// What a rejected answer means for the whole transfer, in either form; `nil` where it is judged otherwise.
    ///
    /// - Parameters:
    ///   - rejection: Why it was rejected.
    ///   - head: Its head.
    ///   - isDerived: Whether the URL is one that a redirect led to, and may have run out.
    ///   - error: The sentence for the rejection.
    init?(_ rejection: Rejection, head: ResponseHead?, isDerived: Bool, error: DownloadError) {
        switch rejection {
        case .rangesIgnored(.different), .lengthChanged, .validatorsChanged, .captive, .encoded, .rangeNotSatisfiable:
            self = .changed(rejection, seen: head.map { Resource($0) })
        case .redirect: self = .moved(error)
        // Signed links that have run out: 403 from most, 400 from some (Amazon's ExpiredToken).
        case .status(let status, _) where isDerived && [400, 401, 403, 404, 410].contains(status): self = .moved(error)
        default: return nil
        }
    }
}
