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
        _ earlier: JournalLoad?,
        _ file: PartFile
    ) throws(DownloadError) -> Transferred? {
        guard let digest, let checksum = request.checksum, case .usable(let contents) = earlier, contents.bitmap.isFull
        else { return nil }
        control.preconnections.close()
        let length = contents.header.length
        guard try finish(digest, length: length, of: file) == checksum.digest else {
            control.enter(.comparing)
            return nil
        }
        if contents.needsSyncBeforeTrust { try sync(file) }
        probe.held?.discard()
        control.counters.setLength(length)
        control.counters.begin(resumed: length)
        return Transferred(length: length, resource: probe.resource, isProvenByChecksum: true)
    }

    /// What the transfer has come to, once its digest was compared with the one asked for, where there is one.
    ///
    /// - Throws: `checksum`; part file and journal then stay, complete.
    func verified(length: Int64, _ course: Course) throws(DownloadError) -> Transferred {
        var transferred = Transferred(length: length, resource: course.probe.resource)
        transferred.isProvenBySamples = course.start.isProvenBySamples
        guard let digest = course.digest, let checksum = request.checksum else { return transferred }
        let found = try finish(digest, length: length, of: course.file)
        transferred.isProvenByChecksum = found == checksum.digest
        if transferred.isProvenByChecksum { return transferred }
        try recordAll(length, course.probe.resource, course.file, course.target)
        throw DownloadError(
            .checksum,
            "The file's \(checksum.algorithm.rawValue) is \(Checksum.hex(found)), not the one asked for: it stays in "
                + "'\(course.file.path)'. Where the checksum was mistyped, correct it: nothing is fetched again. Else the file is "
                + "another one, or damaged: use \(request.advice.restart) to fetch it again.",
            url: scope.url.redacted
        )
    }

    /// Hashes what is left, and gives the page cache back where that is much, as ``JournalKeeper`` does behind each sync.
    private func finish(
        _ digest: DigestFollower,
        length: Int64,
        of file: PartFile
    ) throws(DownloadError) -> [UInt8] {
        control.enter(.verifying)
        let found = try digest.finish(length: length)
        if length > options.keeperPolicy.cachedByteCount { file.dropCache(upTo: nil) }
        return found
    }

    /// A small file, or a stream, has no journal: without one the next run would fetch again what is complete.
    func recordAll(
        _ length: Int64,
        _ resource: Resource,
        _ file: PartFile,
        _ target: Target
    ) throws(DownloadError) {
        guard length > 0, try file.isAtItsName(), try target.folder.fileStatus(target.names.journal) == nil else {
            return
        }
        let plan = SegmentPlan(length: length, segmentSize: request.segmentSize)
        var bitmap = SegmentBitmap(count: plan.segmentCount)
        for segment in 0..<plan.segmentCount { bitmap[segment] = true }
        _ = try newJournal(resource, plan, bitmap, file, target)
    }

    /// Compares the digest of a file that was at NAME before.
    ///
    /// - Returns: `nil` where none was asked for.
    func digestMatches(_ file: borrowing ReadOnlyFile) throws(DownloadError) -> Bool? {
        guard let checksum = request.checksum else { return nil }
        control.counters.setLength(file.size)
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
            control.counters.setHashed(offset)
        }
        return try digest.finish() == checksum.digest
    }
}
