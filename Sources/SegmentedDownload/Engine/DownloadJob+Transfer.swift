internal import SegmentedDownloadCore

// Fetching what is missing, and going on where the server's answers change meanwhile.
extension DownloadJob {
    /// What a transfer has become, from one attempt to the next.
    private struct Course {
        var probe: Probe
        var moveCount = 0
        var hasRestarted = false
    }

    /// Fetches the file into the part file.
    ///
    /// - Returns: Its length in bytes, and what says that it is the right one.
    func transfer(_ probe: Probe, to file: PartFile, of target: Target) throws(DownloadError) -> Transferred {
        guard case .ranges = probe.access, let length = probe.resource.length, length > 0 else {
            return try stream(probe, to: file, of: target)
        }
        var course = Course(probe: probe)
        var start = try prepare(probe, length: length, file: file, target: target)
        announce(start, course.probe, target)
        while true {
            let transfer = SegmentedTransfer(
                setup(course.probe),
                ledger: start.ledger,
                partFile: file,
                journal: start.journal,
                syncs: request.syncs
            )
            onTransfer(transfer)
            let ending = transfer.run(course.probe.held)
            switch ending {
            case .complete:
                return Transferred(
                    length: course.probe.resource.length ?? 0,
                    resource: course.probe.resource,
                    isProvenBySamples: start.isProvenBySamples
                )
            case .failed(let error): throw error
            case .unusableRanges(let rejection):
                control.note("The server \(rejection): fetching the file as one stream from its start.")
                return try streamOver(course.probe, after: rejection, file: file, target: target)
            case .moved(let error):
                try resolveAgain(&course, after: error)
                start = Start(
                    journal: start.journal,
                    ledger: transfer.ledger,
                    isProvenBySamples: start.isProvenBySamples
                )
            case .changed(let rejection):
                let held = Start(
                    journal: start.journal,
                    ledger: transfer.ledger,
                    isProvenBySamples: start.isProvenBySamples
                )
                start = try goOn(&course, after: rejection, held, file: file, target: target)
                announce(start, course.probe, target)
            }
        }
    }

    /// What a transfer ended with.
    struct Transferred {
        let length: Int64
        let resource: Resource
        var isProvenBySamples = false
    }

    func setup(_ probe: Probe) -> SegmentedTransfer.Setup {
        SegmentedTransfer.Setup(
            pool: pool,
            control: control,
            scope: scope,
            url: probe.url,
            resource: probe.resource,
            options: options,
            requestSize: request.requestSize,
            requestCost: probe.requestCost
        )
    }

    private func announce(_ start: Start, _ probe: Probe, _ target: Target) {
        control.counters.begin(resumed: start.resumedByteCount)
        control.emit(
            .started(
                .init(
                    url: scope.url.redacted,
                    path: target.path,
                    length: probe.resource.length,
                    segmentCount: start.ledger.plan.segmentCount,
                    resumedByteCount: start.resumedByteCount,
                    isSingleStream: false
                )
            )
        )
        control.enter(.transferring)
    }

    /// Links that were signed for a while run out: the original URL leads to a new one.
    private func resolveAgain(_ course: inout Course, after error: DownloadError) throws(DownloadError) {
        course.moveCount += 1
        guard course.moveCount <= Self.moveLimit else { throw error }
        control.detail("\(error.message) Resolving the original URL again.")
        var prober = prober()
        let next = try prober.probe()
        next.held?.discard()
        guard next.access == .ranges, next.resource.length == course.probe.resource.length,
            next.resource.validators.sameness(with: course.probe.resource.validators) != .different
        else {
            throw DownloadError(
                .protocol,
                "The address of the file ran out, and the original URL leads to another file now.",
                url: scope.url.redacted
            )
        }
        course.probe = Probe(
            url: next.url,
            resource: course.probe.resource,
            contentDisposition: nil,
            access: .ranges,
            held: nil,
            requestCost: next.requestCost
        )
    }

    /// An answer was about another resource than before. Where a fresh probe finds the old one, nothing has changed;
    /// where two agree on a new one, everything begins anew: old and new bytes never meet.
    private func goOn(
        _ course: inout Course,
        after rejection: Rejection,
        _ held: Start,
        file: PartFile,
        target: Target
    ) throws(DownloadError) -> Start {
        let changed = DownloadError(.protocol, "The server \(rejection).", url: course.probe.url.redacted)
        var prober = prober(triesHead: false, isFresh: true)
        let next = try prober.probe()
        next.held?.discard()
        course.moveCount += 1
        guard course.moveCount <= Self.moveLimit, next.access == .ranges, let length = next.resource.length, length > 0,
            next.url.origin == course.probe.url.origin, !course.probe.resource.isReplacedByPage(next.resource)
        else { throw changed }
        course.probe.held = nil
        if next.resource.sameness(with: course.probe.resource) != .different {
            control.note("The server \(rejection), but only once: going on.")
            try control.sleep(until: control.now + options.retryWait)
            return held
        }
        guard !course.hasRestarted else { throw changed }
        course.hasRestarted = true
        try confirmChange(from: next)
        control.note(
            "The file changed on the server during the download: \(held.resumedByteCount) bytes of the old version "
                + "are thrown away."
        )
        course.probe = Probe(
            url: next.url,
            resource: next.resource,
            contentDisposition: nil,
            access: .ranges,
            held: nil,
            requestCost: next.requestCost
        )
        control.counters.setLength(length)
        return try fresh(course.probe, length: length, file: file, target: target)
    }
}

// MARK: - One plain stream

extension DownloadJob {
    private func stream(_ probe: Probe, to file: PartFile, of target: Target) throws(DownloadError) -> Transferred {
        if case .stream(let reason) = probe.access, probe.resource.length != 0 {
            control.note("Fetching as one plain stream, which can't be resumed: \(reason).")
        }
        let keepsJournal = try judgeEarlierRun(probe, file, target)
        if let length = probe.resource.length, length > request.segmentSize { try file.reserve(length) }
        control.emit(
            .started(
                .init(
                    url: scope.url.redacted,
                    path: target.path,
                    length: probe.resource.length,
                    segmentCount: 0,
                    resumedByteCount: 0,
                    isSingleStream: true
                )
            )
        )
        control.enter(.transferring)
        guard probe.resource.length != 0 else { return Transferred(length: 0, resource: probe.resource) }
        return try stream(probe, file, onlySame: keepsJournal)
    }

    private func stream(_ probe: Probe, _ file: PartFile, onlySame: Bool) throws(DownloadError) -> Transferred {
        let transfer = StreamTransfer(setup(probe), partFile: file, syncs: request.syncs, onlySame: onlySame)
        let length = try transfer.run(probe.held)
        // An attempt that failed may have come farther than the one that was complete.
        if try file.size() != length {
            try file.truncate(to: length)
            try sync(file)
        }
        return Transferred(length: length, resource: probe.resource)
    }

    /// Looks at what an earlier run left, which a stream can't go on with. Where it is the same file the journal stays:
    /// the stream goes over the same bytes, and the server may find its ranges again.
    ///
    /// - Returns: Whether the journal stays.
    /// - Throws: `protocol` or `localFile` where it may be wanted; it is untouched then.
    private func judgeEarlierRun(_ probe: Probe, _ file: PartFile, _ target: Target) throws(DownloadError) -> Bool {
        if !request.restarts,
            case .usable(let contents) = try Journal.load(in: target.folder, names: target.names, partFile: file),
            contents.bitmap.finishedCount > 0
        {
            guard probe.resource.length != nil else {
                throw DownloadError(
                    .protocol,
                    "An earlier run has part of the file, and the server does not tell its length now: run the "
                        + "command again later, or use --restart to throw away what is there.",
                    url: scope.url.redacted
                )
            }
            let plan = SegmentPlan(length: contents.header.length, segmentSize: contents.header.segmentSize)
            let ledger = SegmentLedger(plan: plan, finished: contents.bitmap)
            switch try relation(of: contents.header, ledger, to: probe, file: file) {
            case .same: return true
            case .changed: try confirmChange(from: probe, since: contents.header)
            case .foreign: throw foreignError(file)
            }
        }
        if try file.size() > 0 { control.note("What an earlier run left can't be resumed: starting from 0.") }
        try target.folder.unlink(target.names.journal)
        try file.truncate(to: 0)
        return false
    }

    /// The server has lost its ranges, which is no change of the file: the stream goes over the same bytes. The journal
    /// stays only where the answer itself has proven that they are.
    private func streamOver(
        _ probe: Probe,
        after rejection: Rejection,
        file: PartFile,
        target: Target
    ) throws(DownloadError) -> Transferred {
        onTransfer(nil)
        let isSame = rejection == .rangesIgnored(.same)
        if !isSame { try target.folder.unlink(target.names.journal) }
        control.counters.setHeld(0)
        return try stream(probe, file, onlySame: isSame)
    }
}
