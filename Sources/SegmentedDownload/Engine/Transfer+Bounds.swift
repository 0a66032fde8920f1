internal import SegmentedDownloadCore

// What a server can make libcurl do without end and without a byte of body. All else that it can drag out is ended by
// the stall clock, which only body bytes set back.
extension Transfer {
    /// What was counted against the bounds.
    struct Bounds {
        /// Bytes of heads and trailers.
        var headByteCount = 0
        /// Calls of the progress callback since the worker's loop last looked.
        var progressCount = 0
    }

    /// The most bytes that all heads of a request may have: interim answers (1xx), the head, trailers. libcurl keeps
    /// each field. 7.88.1 has a limit of 300 KiB that not every build has, and none for trailers: 13 MB a second
    /// measured.
    static let maximumHeadByteCount = 256 * 1024

    /// What libcurl does in one turn of the loop is a few hundred reads. Only the body of a proxy's refusal to CONNECT
    /// has no end: 7.88 throws it away byte by byte within one call, past every timeout, for as long as it comes.
    static let maximumProgressCount = 1 << 20

    /// libcurl's header callback.
    ///
    /// - Returns: What the callback returns: less than it was given ends the transfer.
    func receiveHead(byteCount: Int) -> Int {
        bounds.headByteCount += byteCount
        guard bounds.headByteCount > Self.maximumHeadByteCount else { return byteCount }
        stop = stop ?? .endlessHead
        if let easy { forbidReuse(of: easy) }
        return 0
    }

    /// What libcurl's progress callback asks.
    var mayGoOn: Bool {
        bounds.progressCount += 1
        return bounds.progressCount <= Self.maximumProgressCount
    }
}
