internal import SegmentedDownloadCore

// Addresses that ran out, and what the original URL leads to then.
extension DownloadJob {
    /// Links that were signed for a while run out: the original URL leads to a new one. Under another address a
    /// validator proves nothing, so that what is held is compared by its content there.
    func resolveAgain(_ course: inout Course, after error: DownloadError) throws(DownloadError) {
        guard !course.moves.add(at: course.start.heldByteCount) else { throw error }
        control.detail("\(error.message) Resolving the original URL again.")
        let known = course.probe
        // By GET: some servers redirect only that, or tell HEAD other things.
        var next = try look()
        try checkIsNoPage(next, insteadOf: known.resource)
        if let difference = try difference(of: next, from: course) {
            let verdict = try judgeChange(
                from: known.resource,
                seen: next.resource,
                isByContent: difference == .content
            )
            let isOtherLength = next.resource.length != known.resource.length
            let rejection: Rejection = isOtherLength ? .lengthChanged : .validatorsChanged
            return try obey(verdict, &course, after: rejection)
        }
        // What was learned of the tag under this address stays true.
        if next.url.redacted == known.url.redacted { next.resource = known.resource }
        // Ranges that were found to be of no use stay so.
        if case .stream = known.access { next.access = known.access }
        course.probe = next
    }

    private enum Difference {
        /// In length or validators.
        case word
        /// In bytes, whatever is said of them.
        case content
    }

    /// - Returns: `nil` where it is the same file.
    private func difference(of next: Probe, from course: Course) throws(DownloadError) -> Difference? {
        let known = course.probe
        guard next.resource.length == known.resource.length else { return .word }
        if next.url.redacted == known.url.redacted {
            switch next.resource.sameness(with: known.resource) {
            case .same: return nil
            case .different: return .word
            case .unknown: break
            }
        }
        // A stream is compared as it comes.
        guard case .ranges = known.access, next.access == .ranges, let ledger = course.start.ledger else { return nil }
        return try samples(of: next).compare(course.file, held: ledger.heldRanges) == .different ? .content : nil
    }
}
