internal import SegmentedDownloadCore

// Whether what an earlier run left is part of what the server has now.
extension DownloadJob {
    /// What an earlier run's bytes are to the server's file.
    enum Relation {
        case same(isByContent: Bool)
        case changed(isByContent: Bool)
        case foreign
    }

    /// Content decides, not the URL: under another URL a validator proves nothing, since servers give equal tags to
    /// different files of equal size and time.
    func relation(
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
    var resource: Resource {
        Resource(
            length: length,
            validators: Validators(strongETag: strongETag, lastModified: lastModified),
            mediaType: mediaType
        )
    }
}
