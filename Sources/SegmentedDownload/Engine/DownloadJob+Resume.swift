internal import SegmentedDownloadCore

// What an earlier run left, and whether it belongs to what the server has now.
extension DownloadJob {
    /// A journal to go on with, and what is finished.
    struct Start {
        let journal: Journal?
        let ledger: SegmentLedger
        /// Whether the bytes of an earlier run were proven by sample blocks, since validators could not tell.
        var isProvenBySamples = false

        var resumedByteCount: Int64 { ledger.finishedByteCount }
    }

    /// Opens the journal of an earlier run where it fits the resource; else begins anew.
    ///
    /// - Throws: `localFile` where the part file belongs to something else, that the user may want.
    func prepare(_ probe: Probe, length: Int64, file: PartFile, target: Target) throws(DownloadError) -> Start {
        if request.restarts { return try fresh(probe, length: length, file: file, target: target) }
        switch try Journal.load(in: target.folder, names: target.names, partFile: file) {
        case .absent:
            return try fresh(probe, length: length, file: file, target: target)
        case .unusable(let reason):
            control.note("\(reason) Starting again from the beginning.")
            return try fresh(probe, length: length, file: file, target: target)
        case .usable(let contents):
            if contents.damagedBlockCount > 0 {
                control.note("Part of the journal is damaged: what it recorded is fetched again.")
            }
            return try resume(contents, probe, length: length, file: file, target: target)
        }
    }

    /// Throws away what is there, and makes part file and journal for the resource.
    func fresh(_ probe: Probe, length: Int64, file: PartFile, target: Target) throws(DownloadError) -> Start {
        let plan = SegmentPlan(length: length, segmentSize: request.segmentSize)
        try file.truncate(to: 0)
        guard length > request.segmentSize else {
            // One segment is all or nothing: there is nothing to record.
            try target.folder.unlink(target.names.journal)
            let bitmap = SegmentBitmap(count: plan.segmentCount)
            return Start(journal: nil, ledger: SegmentLedger(plan: plan, finished: bitmap))
        }
        let header = try JournalHeader.new(
            url: scope.url.text,
            length: length,
            segmentSize: request.segmentSize,
            strongETag: probe.resource.validators.strongETag,
            lastModified: probe.resource.validators.lastModified,
            mediaType: probe.resource.mediaType,
            partFile: file
        )
        let bitmap = SegmentBitmap(count: plan.segmentCount)
        let journal = try Journal.create(
            in: target.folder,
            names: target.names,
            header: header,
            bitmap: bitmap,
            syncs: request.syncs
        )
        try file.reserve(length)
        return Start(journal: journal, ledger: SegmentLedger(plan: plan, finished: bitmap))
    }

    private func resume(
        _ contents: JournalContents,
        _ probe: Probe,
        length: Int64,
        file: PartFile,
        target: Target
    ) throws(DownloadError) -> Start {
        let header = contents.header
        let plan = SegmentPlan(length: header.length, segmentSize: header.segmentSize)
        let ledger = SegmentLedger(plan: plan, finished: contents.bitmap)
        switch try relation(of: header, ledger, to: probe, file: file) {
        case .same(let byContent):
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
                return try fresh(probe, length: length, file: file, target: target)
            }
            return Start(journal: journal, ledger: ledger, isProvenBySamples: byContent)
        case .changed:
            try confirmChange(from: probe, since: header)
            control.note(
                "The server has another version of the file: \(ledger.finishedByteCount) bytes of the old one are "
                    + "thrown away."
            )
            return try fresh(probe, length: length, file: file, target: target)
        case .foreign:
            throw foreignError(file)
        }
    }

    func foreignError(_ file: PartFile) -> DownloadError {
        DownloadError(
            .localFile,
            "'\(file.path)' holds another file than this URL's; use --restart to throw it away, or another -o.",
            url: scope.url.redacted
        )
    }

    /// What an earlier run's bytes are to the server's file.
    enum Relation {
        case same(byContent: Bool)
        case changed
        case foreign
    }

    /// Content decides, not the URL: under another URL a validator proves nothing, since servers give equal tags to
    /// different files of equal size and time.
    func relation(
        of header: JournalHeader,
        _ ledger: SegmentLedger,
        to probe: Probe,
        file: PartFile
    ) throws(DownloadError) -> Relation {
        let isSameURL = header.isForURL(scope.url.text)
        guard header.length == probe.resource.length else { return isSameURL ? .changed : .foreign }
        let old = Validators(strongETag: header.strongETag, lastModified: header.lastModified)
        if isSameURL {
            switch old.sameness(with: probe.resource.validators) {
            case .same: return .same(byContent: false)
            case .different: return .changed
            case .unknown: break
            }
        }
        guard probe.access == .ranges else { return isSameURL ? .changed : .foreign }
        control.enter(.comparing)
        probe.held?.discard()
        let held = ledger.finished.runs(of: true).map { ledger.plan.byteRange(ofSegments: $0) }
        if try samples(of: probe).matchesPartFile(file, held: held) { return .same(byContent: true) }
        return isSameURL ? .changed : .foreign
    }

    /// A change of the resource is believed only when a second probe, over a fresh connection, agrees with the first.
    ///
    /// - Throws: `protocol` where it does not; the part file is untouched.
    /// - Parameters:
    ///   - probe: The first probe that found the change.
    ///   - header: What an earlier run knew of the resource.
    func confirmChange(from probe: Probe, since header: JournalHeader? = nil) throws(DownloadError) {
        probe.held?.discard()
        let known = header.map {
            Resource(
                length: $0.length,
                validators: Validators(strongETag: $0.strongETag, lastModified: $0.lastModified),
                mediaType: $0.mediaType
            )
        }
        guard !(known?.isReplacedByPage(probe.resource) ?? false) else {
            throw DownloadError(
                .protocol,
                "The server sends a web page where the file was: a login page, or a network that wants one. Run the "
                    + "command again when it is away, or use --restart to throw away what is there.",
                url: scope.url.redacted
            )
        }
        var prober = prober(triesHead: false, isFresh: true)
        let second = try prober.probe()
        second.held?.discard()
        let agrees =
            second.url.origin == probe.url.origin && second.resource.length == probe.resource.length
            && second.resource.validators.sameness(with: probe.resource.validators) != .different
            && !probe.resource.isReplacedByPage(second.resource)
        guard agrees else {
            throw DownloadError(
                .protocol,
                "The server tells different things about the file from one answer to the next; run the command again "
                    + "later, or use --restart to throw away what is there.",
                url: scope.url.redacted
            )
        }
    }
}
