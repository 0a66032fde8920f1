internal import SegmentedDownloadCore

// What to do where a transfer can't go on as it began.
extension DownloadJob {
    /// What a transfer has become, from one attempt to the next.
    struct Course {
        /// Setbacks in a row, without a new byte between them, that a download bears: signed links may run out as
        /// often as they like.
        private static let toleratedSetbacks = 5

        var probe: Probe
        let digest: DigestFollower?
        var hasRestarted = false
        private(set) var setbackCount = 0
        private var receivedByteCount: Int64 = 0

        init(probe: Probe, digest: DigestFollower?) {
            self.probe = probe
            self.digest = digest
        }

        /// Counts a setback.
        ///
        /// - Returns: Whether there were too many.
        mutating func suffersSetback(after received: Int64) -> Bool {
            if received > receivedByteCount { setbackCount = 0 }
            receivedByteCount = received
            setbackCount += 1
            return setbackCount > Self.toleratedSetbacks
        }
    }

    /// So many times in a row an answer that contradicts the probes is taken for a slip.
    private static let toleratedSlips = 2

    func fallBackToStream(_ course: inout Course, after rejection: Rejection) {
        control.note("The server \(rejection): fetching the file as one stream from its start.")
        course.probe.access = .stream(reason: "the server \(rejection)")
    }

    /// Links that were signed for a while run out: the original URL leads to a new one. Under another address a
    /// validator proves nothing, so that what is held is compared by its content there.
    func resolveAgain(
        _ course: inout Course,
        after error: DownloadError,
        _ start: inout Start,
        file: PartFile,
        target: Target
    ) throws(DownloadError) {
        guard !course.suffersSetback(after: control.counters.receivedByteCount) else { throw error }
        control.detail("\(error.message) Resolving the original URL again.")
        let known = course.probe
        var prober = prober(isAnswered: true)
        var next = try prober.probe()
        next.held?.discard()
        next.held = nil
        try checkIsNoPage(next, insteadOf: known.resource)
        guard try isSame(next, as: known, start, file) else {
            return try begin(&course, with: next, &start, file: file, target: target)
        }
        // What was learned of the tag under this address stays true.
        if next.url.redacted == known.url.redacted { next.resource = known.resource }
        // Ranges that were found to be of no use stay so.
        if case .stream = known.access { next.access = known.access }
        course.probe = next
    }

    private func isSame(
        _ next: Probe,
        as known: Probe,
        _ start: Start,
        _ file: PartFile
    ) throws(DownloadError) -> Bool {
        guard next.resource.length == known.resource.length else { return false }
        if next.url.redacted == known.url.redacted {
            return next.resource.sameness(with: known.resource) != .different
        }
        // A stream is compared as it comes.
        guard case .ranges = known.access, next.access == .ranges, let ledger = start.ledger else { return true }
        return try samples(of: next).compare(file, held: ledger.finishedRanges) != .different
    }

    /// An answer was about another resource than before. Where fresh probes find the old one, nothing has changed;
    /// where they agree on a new one, everything begins anew: old and new bytes never meet.
    func goOn(
        _ course: inout Course,
        after rejection: Rejection,
        _ seen: Resource?,
        _ start: inout Start,
        file: PartFile,
        target: Target
    ) throws(DownloadError) {
        let known = course.probe
        if known.isFromHead, control.counters.receivedByteCount == 0, start.resumedByteCount == 0 {
            return try distrustHead(&course, after: rejection, &start, file: file, target: target)
        }
        let changed = DownloadError.outcome(.rejected(rejection), known.url)
        guard !course.suffersSetback(after: control.counters.receivedByteCount) else { throw changed }
        switch try judgeChange(from: known.resource, seen: seen) {
        case .same where rejection != .captive && course.setbackCount > Self.toleratedSlips:
            fallBackToStream(&course, after: rejection)
        case .same:
            control.note("The server \(rejection), but only once: going on.")
            try control.sleep(until: control.now + options.retryWait)
        case .unstableTag: ignoreTag(&course.probe)
        case .changed(let next):
            guard next.url.origin == known.url.origin else { throw changed }
            try begin(&course, with: next, &start, file: file, target: target)
        }
    }

    /// HEAD promised something else than what GET brings, from the first answer on.
    private func distrustHead(
        _ course: inout Course,
        after rejection: Rejection,
        _ start: inout Start,
        file: PartFile,
        target: Target
    ) throws(DownloadError) {
        control.detail("The server \(rejection): not going by what it said to HEAD.")
        var prober = prober(triesHead: false)
        let next = try prober.probe()
        do throws(DownloadError) {
            try checkIsNoPage(next, insteadOf: course.probe.resource)
            course.probe = next
            control.counters.setLength(next.resource.length)
            try startAnew(course, &start, file, target)
        } catch {
            next.held?.discard()
            throw error
        }
    }

    /// Another version of the file: once in a run it is begun anew.
    private func begin(
        _ course: inout Course,
        with next: Probe,
        _ start: inout Start,
        file: PartFile,
        target: Target
    ) throws(DownloadError) {
        guard !course.hasRestarted else {
            throw DownloadError(
                .protocol,
                "The file changed on the server during the download, and then again; run the command again later.",
                url: scope.url.redacted
            )
        }
        course.hasRestarted = true
        control.note(
            "The file changed on the server during the download: \(start.resumedByteCount) bytes of the old version "
                + "are thrown away."
        )
        course.probe = next
        control.counters.setLength(next.resource.length)
        try startAnew(course, &start, file, target)
        announce(start, next, target)
    }

    private func startAnew(
        _ course: Course,
        _ start: inout Start,
        _ file: PartFile,
        _ target: Target
    ) throws(DownloadError) {
        course.digest?.restart()
        start = try fresh(course.probe, file: file, target: target)
    }

    /// A stream brought other bytes than an earlier run's, which no validator could tell.
    func restart(
        _ course: inout Course,
        _ start: inout Start,
        file: PartFile,
        target: Target
    ) throws(DownloadError) {
        control.note(
            "The server sends other bytes than those held: \(start.resumedByteCount) bytes are thrown away."
        )
        try startAnew(course, &start, file, target)
        announce(start, course.probe, target)
    }
}
