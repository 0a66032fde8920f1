internal import SegmentedDownloadCore

// What an earlier run left, and whether it belongs to what the server has now.
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

    /// Throws away what is there, and makes part file and journal for the resource.
    func fresh(_ probe: Probe, file: PartFile, target: Target) throws(DownloadError) -> Start {
        if let length = probe.resource.length { try checkIsStorable(length, file) }
        try file.truncate(to: 0)
        guard let length = probe.resource.length else {
            try Journal.discard(in: target.folder, names: target.names)
            return Start(journal: nil, ledger: nil)
        }
        let plan = SegmentPlan(length: length, segmentSize: request.segmentSize)
        let bitmap = SegmentBitmap(count: plan.segmentCount)
        var journal: Journal?
        // One segment is all or nothing, and so is a stream: there is nothing to record.
        if length > request.segmentSize, probe.access == .ranges {
            // A new journal that isn't synced could be lost, and leave the old one in its place.
            if !request.syncs { try Journal.discard(in: target.folder, names: target.names) }
            journal = try newJournal(probe.resource, plan, bitmap, file, target)
        } else {
            try Journal.discard(in: target.folder, names: target.names)
        }
        if length > request.segmentSize { try file.reserve(length) }
        return Start(journal: journal, ledger: SegmentLedger(plan: plan, finished: bitmap))
    }

    /// Before anything is thrown away, or made, for a length that may be made up: memory for its segments is taken
    /// only where a journal could record them.
    private func checkIsStorable(_ length: Int64, _ file: PartFile) throws(DownloadError) {
        guard length > request.segmentSize else { return }
        try file.checkRoom(for: length)
        // Not every file system tells its room.
        let maximum = Int64(JournalLayout.maximumSegmentCount)
        guard (length - 1) / request.segmentSize >= maximum else { return }
        guard length / maximum <= SegmentPlan.segmentSizes.upperBound else {
            throw DownloadError(
                .protocol,
                "The server says that the file has \(length) bytes, which can't be; check the URL.",
                url: scope.url.redacted
            )
        }
        throw DownloadError(
            .localFile,
            "The file has \(length) bytes, too many segments of \(request.segmentSize); choose larger ones with -s.",
            url: scope.url.redacted
        )
    }

    func newJournal(
        _ resource: Resource,
        _ plan: SegmentPlan,
        _ bitmap: SegmentBitmap,
        _ file: PartFile,
        _ target: Target
    ) throws(DownloadError) -> Journal {
        let header = try JournalHeader.new(
            url: scope.url.text,
            length: plan.length,
            segmentSize: plan.segmentSize,
            strongETag: resource.validators.strongETag,
            lastModified: resource.validators.lastModified,
            mediaType: resource.mediaType,
            partFile: file
        )
        return try Journal.create(
            in: target.folder,
            names: target.names,
            header: header,
            bitmap: bitmap,
            syncs: request.syncs
        )
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
                    + "command again later, or use --restart to throw away what is there.",
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
            "'\(file.path)' holds another file than this URL's; use --restart to throw it away, or another -o.",
            url: scope.url.redacted
        )
    }

    /// What an earlier run's bytes are to the server's file.
    private enum Relation {
        case same(isByContent: Bool)
        case changed(isByContent: Bool)
        case foreign
    }

    /// Content decides, not the URL: under another URL a validator proves nothing, since servers give equal tags to
    /// different files of equal size and time.
    private func relation(
        of header: JournalHeader,
        _ ledger: SegmentLedger,
        to probe: inout Probe,
        file: PartFile
    ) throws(DownloadError) -> Relation {
        let isSameURL = header.isForURL(scope.url.text)
        let known = header.resource
        guard header.length == probe.resource.length else {
            return isSameURL ? .changed(isByContent: false) : .foreign
        }
        let sameness = known.sameness(with: probe.resource)
        if isSameURL {
            switch sameness {
            case .same: return .same(isByContent: false)
            case .different: return .changed(isByContent: false)
            // A stream is compared as it comes.
            case .unknown where probe.access != .ranges: return .same(isByContent: false)
            case .unknown: break
            }
        }
        guard probe.access == .ranges else { return .foreign }
        control.enter(.comparing)
        probe.held?.discard()
        switch try samples(of: probe).compare(file, held: ledger.heldRanges, isOnlyProof: sameness == .unknown) {
        case .same: return .same(isByContent: true)
        case .different: return isSameURL ? .changed(isByContent: true) : .foreign
        case .impossible:
            guard isSameURL else { return .foreign }
            probe.access = .stream(reason: "the server has no ranges")
            return .same(isByContent: false)
        }
    }
}

extension JournalHeader {
    /// What an earlier run knew of the resource.
    fileprivate var resource: Resource {
        Resource(
            length: length,
            validators: Validators(strongETag: strongETag, lastModified: lastModified),
            mediaType: mediaType
        )
    }
}
