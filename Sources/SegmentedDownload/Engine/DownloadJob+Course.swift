internal import SegmentedDownloadCore

// What to do where a transfer can't go on as it began.
extension DownloadJob {
    /// What a transfer has become, from one attempt to the next.
    struct Course {
        let file: PartFile
        let target: Target
        let digest: DigestFollower?
        var probe: Probe
        var start: Start
        var hasRestarted = false
        /// Links that ran out: they may do so as often as they like, as long as each brings bytes, which stay.
        var moves = Setbacks()
        /// Answers that contradicted the probes. Bytes are no excuse for those, but segments are.
        var slips = Setbacks()

        init(_ probe: Probe, _ start: Start, file: PartFile, target: Target, digest: DigestFollower?) {
            self.probe = probe
            self.start = start
            self.file = file
            self.target = target
            self.digest = digest
        }

    }

    /// Setbacks of one kind in a row, without progress between them.
    struct Setbacks {
        private static let toleratedCount = 5

        private(set) var count = 0
        private var byteCount: Int64 = 0

        /// Counts one.
        ///
        /// - Parameter byteCount: How far the download has come.
        /// - Returns: Whether there were too many.
        mutating func add(at byteCount: Int64) -> Bool {
            if byteCount > self.byteCount { count = 0 }
            self.byteCount = byteCount
            count += 1
            return count > Self.toleratedCount
        }
    }

    /// So many times in a row an answer that contradicts the probes is taken for a slip.
    private static let toleratedSlips = 2

    /// Ranges can't be used. Where all that is known is HEAD's word, GET is asked first what the file is.
    func giveUpRanges(_ course: inout Course, after rejection: Rejection) throws(DownloadError) {
        guard isHeadsWordAlone(course) else { return fallBackToStream(&course, after: rejection) }
        try distrustHead(&course, after: rejection)
        if case .stream = course.probe.access { noteStream(after: rejection) }
    }

    private func isHeadsWordAlone(_ course: Course) -> Bool {
        course.probe.isFromHead && control.counters.receivedByteCount == 0
            && course.start.resumedByteCount == 0
    }

    private func noteStream(after rejection: Rejection) {
        control.note("The server \(rejection): fetching the file as one stream from its start.")
    }

    private func fallBackToStream(_ course: inout Course, after rejection: Rejection) {
        noteStream(after: rejection)
        course.probe.access = .stream(reason: "the server \(rejection)")
    }

    /// An answer was about another resource than before. Where fresh probes find the old one, nothing has changed;
    /// where they agree on a new one, everything begins anew: old and new bytes never meet.
    func goOn(_ course: inout Course, after rejection: Rejection, _ seen: Resource?) throws(DownloadError) {
        let known = course.probe
        if isHeadsWordAlone(course) {
            return try distrustHead(&course, after: rejection)
        }
        let changed = scope.error(of: .rejected(rejection), at: known.url)
        guard !course.slips.add(at: course.start.resumedByteCount) else { throw changed }
        var verdict = try judgeChange(from: known.resource, seen: seen)
        if case .same(let probe) = verdict, try isOtherwise(probe, than: course) {
            verdict = try judgeChange(from: known.resource, seen: seen, isByContent: true)
        }
        if case .same = verdict, rejection != .captive, course.slips.count > Self.toleratedSlips {
            return fallBackToStream(&course, after: rejection)
        }
        try obey(verdict, &course, after: rejection)
    }

    /// Whether a probe that has no validator to clear the suspicion by is about other bytes than those held.
    private func isOtherwise(_ probe: Probe, than course: Course) throws(DownloadError) -> Bool {
        // A stream is compared as it comes.
        guard probe.resource.sameness(with: course.probe.resource) == .unknown, probe.access == .ranges,
            let ledger = course.start.ledger
        else { return false }
        return try samples(of: probe).compare(course.file, held: ledger.heldRanges, isOnlyProof: true) == .different
    }

    /// Does what a verdict asks for; another host's word is not believed.
    func obey(_ verdict: ChangeVerdict, _ course: inout Course, after rejection: Rejection) throws(DownloadError) {
        switch verdict {
        case .same:
            control.note("The server \(rejection), but only once: going on.")
            try control.sleep(until: control.now + options.retryWait)
        case .unstableTag: ignoreTag(&course.probe)
        case .changed(let next):
            guard next.url.origin == course.probe.url.origin else {
                throw scope.error(of: .rejected(rejection), at: course.probe.url)
            }
            try begin(&course, with: next)
        }
    }

    /// HEAD promised something else than what GET brings, from the first answer on.
    private func distrustHead(_ course: inout Course, after rejection: Rejection) throws(DownloadError) {
        control.detail("The server \(rejection): not going by what it said to HEAD.")
        var prober = prober(isFirst: false)
        let next = try prober.probe()
        do throws(DownloadError) {
            try checkIsNoPage(next, insteadOf: course.probe.resource)
            course.probe = next
            control.counters.setLength(next.resource.length)
            try startAnew(&course)
        } catch {
            next.held?.discard()
            throw error
        }
    }

    /// Another version of the file: once in a run it is begun anew.
    private func begin(_ course: inout Course, with next: Probe) throws(DownloadError) {
        try takeRestart(&course)
        control.note(
            "The file changed on the server during the download: \(course.start.heldByteCount) bytes of the old version "
                + "are thrown away."
        )
        course.probe = next
        control.counters.setLength(next.resource.length)
        try startAnew(&course)
        announce(course)
    }

    private func takeRestart(_ course: inout Course) throws(DownloadError) {
        guard !course.hasRestarted else {
            throw DownloadError(
                .protocol,
                "The file changed on the server during the download, and then again; run the command again later.",
                url: scope.url.redacted
            )
        }
        course.hasRestarted = true
    }

    private func startAnew(_ course: inout Course) throws(DownloadError) {
        course.digest?.restart()
        course.start = try fresh(course.probe, file: course.file, target: course.target)
    }

    /// A stream brought other bytes than those held, which no validator could tell: a change as any other.
    func restart(_ course: inout Course) throws(DownloadError) {
        try takeRestart(&course)
        control.note(
            "The server sends other bytes than those held: \(course.start.resumedByteCount) bytes are thrown away."
        )
        try startAnew(&course)
        announce(course)
    }
}
