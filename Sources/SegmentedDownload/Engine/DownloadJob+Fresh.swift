internal import SegmentedDownloadCore

// Beginning at the first byte.
extension DownloadJob {
    /// Throws away what is there, and makes part file and journal for the resource.
    func fresh(_ probe: Probe, file: PartFile, target: Target) throws(DownloadError) -> Start {
        if let length = probe.resource.length { try checkIsStorable(length, file) }
        if try file.size() > 0 { try file.truncate(to: 0) }
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
}
