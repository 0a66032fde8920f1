internal import SegmentedDownloadCore

// Going on with what an earlier run left.
extension DownloadJob {
    /// What to go on with.
    struct Start {
        /// `nil` where nothing is recorded.
        let journal: Journal?
        /// What is finished; `nil` where the length is not known.
        var ledger: SegmentLedger?
        /// Whether the bytes of an earlier run were proven by sample blocks, since validators could not tell.
        var isProvenBySamples = false

        /// Bytes of finished segments, which a later run would find.
        var resumedByteCount: Int64 { ledger?.finishedByteCount ?? 0 }
        /// All bytes that need not be fetched again.
        var heldByteCount: Int64 { ledger?.heldByteCount ?? 0 }
    }

    /// Opens the journal of an earlier run where it fits the resource; else begins anew.
    ///
    /// - Parameters:
    ///   - probe: Replaced where later probes know better.
    ///   - earlier: The journal that is there; `nil` where it is to be thrown away.
    /// - Throws: `localFile` where the part file belongs to something else, that the user may want.
    func prepare(
        _ probe: inout Probe,
        _ earlier: JournalLoad?,
        file: PartFile,
        target: Target
    ) throws(DownloadError) -> Start {
        switch earlier {
        case nil: break
        case .absent:
            if try file.size() > 0 { control.note("What an earlier run left can't be resumed: starting from 0.") }
        case .unusable(let reason): control.note("\(reason) Starting again from the beginning.")
        case .usable(let contents):
            tell(of: contents.damage)
            return try resume(contents, &probe, file: file, target: target)
        }
        return try fresh(probe, file: file, target: target)
    }

    private func tell(of damage: JournalDamage) {
        if damage.lostBlockCount > 0 {
            control.note("Part of the journal is damaged: what it recorded is fetched again.")
        } else if damage.damagedSlotCount > 0 {
            control.note("Part of the journal is damaged: what it recorded last may be fetched again.")
        }
    }

    private func resume(
        _ contents: JournalContents,
        _ probe: inout Probe,
        file: PartFile,
        target: Target
    ) throws(DownloadError) -> Start {
        guard contents.bitmap.finishedCount > 0 else { return try fresh(probe, file: file, target: target) }
        guard probe.resource.length != nil else {
            throw DownloadError(
                .protocol,
                "An earlier run has part of the file, and the server does not tell its length now: run the "
                    + "command again later, or use \(request.advice.restart) to throw away what is there.",
                url: scope.url.redacted
            )
        }
        let header = contents.header
        let plan = SegmentPlan(length: header.length, segmentSize: header.segmentSize)
        let ledger = SegmentLedger(plan: plan, finished: contents.bitmap)
        var relation = try relation(of: header, ledger, to: &probe, file: file)
        if case .changed(isByContent: false) = relation {
            relation = try settle(&probe, header, isByContent: false)
            // What said so was wrong, and what is right says nothing yet of files without validators.
            if case .same = relation { relation = try self.relation(of: header, ledger, to: &probe, file: file) }
        }
        if case .changed(isByContent: true) = relation {
            relation = try settle(&probe, header, isByContent: true)
        }
        switch relation {
        case .foreign: throw foreignError(file)
        case .changed:
            control.note(
                "The server has another version of the file: \(ledger.finishedByteCount) bytes of the old one are "
                    + "thrown away."
            )
            return try fresh(probe, file: file, target: target)
        case .same(let isByContent):
            guard
                let journal = try Journal.resume(
                    contents,
                    in: target.folder,
                    names: target.names,
                    partFile: file,
                    syncs: request.syncs
                )
            else {
                control.note("The bytes of the last run could not be brought to the disk: starting again.")
                return try fresh(probe, file: file, target: target)
            }
            // Still so, or again: the disk may be as full as it was when it ended the run before.
            try file.reserve(header.length, missing: header.length - ledger.finishedByteCount)
            return Start(journal: journal, ledger: ledger, isProvenBySamples: isByContent)
        }
    }

    /// Asks whether a change is one.
    private func settle(
        _ probe: inout Probe,
        _ header: JournalHeader,
        isByContent: Bool
    ) throws(DownloadError) -> Relation {
        probe.held?.discard()
        let seen = probe.isFromHead ? nil : probe.resource
        switch try judgeChange(from: header.resource, seen: seen, isByContent: isByContent) {
        case .same(let next): probe = next
        case .unstableTag(let next):
            probe = next
            ignoreTag(&probe)
        case .changed(let next):
            probe = next
            control.counters.setLength(next.resource.length)
            return .changed(isByContent: isByContent)
        }
        control.counters.setLength(probe.resource.length)
        return .same(isByContent: false)
    }

    private func foreignError(_ file: PartFile) -> DownloadError {
        DownloadError(
            .localFile,
            "'\(file.path)' holds another file than this URL's; use \(request.advice.restart) to throw it away, or another name with "
                + "\(request.advice.name).",
            url: scope.url.redacted
        )
    }
}
