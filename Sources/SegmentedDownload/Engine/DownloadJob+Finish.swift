internal import SegmentedDownloadCore

// The last steps, when every worker has let go of the part file.
extension DownloadJob {
    /// Sync, rename, sync of the folder, and then the journal goes.
    func finish(_ file: PartFile, _ target: Target, _ transferred: Transferred) throws(DownloadError) -> DownloadReport
    {
        try control.checkCancelled()
        control.enter(.syncing)
        // The transfer's journal keeper has synced the data.
        if request.usesRemoteTime { setTime(of: file, to: transferred.resource.validators.lastModified) }
        try file.publish(as: target.names.final, replacing: request.existing == .overwrite)
        if request.syncs { try target.folder.sync() }
        try Journal.remove(of: file, in: target.folder, names: target.names)
        return DownloadReport(
            outcome: .downloaded,
            path: target.path,
            length: transferred.length,
            receivedByteCount: control.counters.receivedByteCount,
            refetchedByteCount: control.counters.refetchedByteCount,
            resumedByteCount: control.counters.resumedByteCount,
            elapsed: control.elapsed,
            verification: verification(of: transferred)
        )
    }

    /// Before NAME appears: what another program did to the part file meanwhile, where that shows.
    func checkIsIntact(_ file: PartFile, _ length: Int64) throws(DownloadError) {
        if try file.checkIsWhole(leastByteCount: length) > length {
            // An attempt that failed came farther than the one that was complete.
            try file.truncate(to: length)
            try sync(file)
        }
        // Unsynced bytes may not have their place on the disk yet.
        if request.syncs { try file.checkHasNoHoles(length) }
    }

    func sync(_ file: PartFile) throws(DownloadError) {
        guard request.syncs else { return }
        do throws(Errno) {
            try file.syncData()
        } catch {
            throw file.syncError(error)
        }
    }

    private func verification(of transferred: Transferred) -> DownloadReport.Verification {
        if transferred.isProvenByChecksum { return .checksum }
        let validators = transferred.resource.validators
        if validators.strongETag != nil { return .strongETag }
        if validators.lastModified != nil { return .lastModified }
        if transferred.isProvenBySamples { return .samples }
        return transferred.resource.length == nil ? .none : .length
    }

    /// A run that failed before a segment was finished leaves nothing that a rerun could use, nor does one whose file
    /// another program has changed.
    func removeIfEmpty(_ file: PartFile, _ target: Target) throws(DownloadError) {
        // Another segdl's files may stand there by now.
        guard try file.isAtItsName() else { return }
        if !file.isDamaged,
            case .usable(let contents) = try Journal.load(in: target.folder, names: target.names, partFile: file),
            contents.bitmap.finishedCount > 0
        {
            return
        }
        // While the part file has its name, and its lock, no other segdl makes a journal.
        try target.folder.unlink(target.names.journal)
        try file.remove()
    }
}
