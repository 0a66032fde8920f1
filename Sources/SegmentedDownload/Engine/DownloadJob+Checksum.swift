internal import SegmentedDownloadCore

// The digest that the user has from outside.
extension DownloadJob {
    /// What an earlier run completed needs no word of the server's: where its digest is right it is the file, and a
    /// checksum that was wrong then and is right now costs no traffic.
    ///
    /// - Returns: `nil` where there is no such file, or its digest is another.
    func complete(
        _ probe: Probe,
        _ digest: DigestFollower?,
        _ file: PartFile,
        _ target: Target
    ) throws(DownloadError) -> Transferred? {
        guard let digest, let checksum = request.checksum, !request.restarts,
            case .usable(let contents) = try Journal.load(in: target.folder, names: target.names, partFile: file),
            contents.bitmap.finishedCount == contents.bitmap.count
        else { return nil }
        control.enter(.verifying)
        let length = contents.header.length
        guard try digest.finish(length: length) == checksum.digest else { return nil }
        if contents.needsSyncBeforeTrust { try sync(file) }
        probe.held?.discard()
        control.counters.setLength(length)
        control.counters.begin(resumed: length)
        return Transferred(length: length, resource: probe.resource, isProvenByChecksum: true)
    }

    /// Compares the digest of what was transferred.
    ///
    /// - Throws: `checksum`; part file and journal then stay, complete.
    func verified(
        _ transferred: Transferred,
        _ digest: DigestFollower?,
        _ start: Start,
        _ file: PartFile,
        _ target: Target
    ) throws(DownloadError) -> Transferred {
        guard let digest, let checksum = request.checksum else { return transferred }
        control.enter(.verifying)
        let found = try digest.finish(length: transferred.length)
        guard found != checksum.digest else {
            var transferred = transferred
            transferred.isProvenByChecksum = true
            return transferred
        }
        if start.journal == nil, transferred.length > 0 { try recordAll(transferred, file, target) }
        throw DownloadError(
            .checksum,
            "The file's \(checksum.algorithm.rawValue) is \(Checksum.hex(found)), not the one asked for: it stays in "
                + "'\(file.path)'. Run the command with another --checksum to use it, or with --restart to fetch it "
                + "again.",
            url: scope.url.redacted
        )
    }

    /// A small file, or a stream, has no journal: without one the next run would fetch it again.
    private func recordAll(
        _ transferred: Transferred,
        _ file: PartFile,
        _ target: Target
    ) throws(DownloadError) {
        let plan = SegmentPlan(length: transferred.length, segmentSize: request.segmentSize)
        var bitmap = SegmentBitmap(count: plan.segmentCount)
        for segment in 0..<plan.segmentCount { bitmap[segment] = true }
        _ = try newJournal(transferred.resource, plan, bitmap, file, target)
    }

    /// Compares the digest of a file that was at NAME before.
    ///
    /// - Returns: `nil` where none was asked for.
    func digestMatches(_ file: borrowing ReadOnlyFile) throws(DownloadError) -> Bool? {
        guard let checksum = request.checksum else { return nil }
        control.enter(.verifying)
        let digest = try MessageDigest(checksum.algorithm)
        var offset: Int64 = 0
        while offset < file.size {
            try control.checkCancelled()
            let bytes = try file.read(offset..<min(offset + 256 * KiB, file.size))
            guard !bytes.isEmpty else { break }
            try bytes.withUnsafeBufferPointer { bytes throws(DownloadError) in
                try digest.update(UnsafeRawBufferPointer(bytes))
            }
            offset += Int64(bytes.count)
        }
        return try digest.finish() == checksum.digest
    }
}
