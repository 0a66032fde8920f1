internal import SegmentedDownloadCore

// What to do when the final name is taken.
extension DownloadJob {
    /// `skip` with a name from `-o` asks the server nothing.
    func skipped() throws(DownloadError) -> DownloadReport? {
        guard request.existing == .skip, request.output != nil, let folder = try Target.existingFolder(request),
            let target = try Target(named: request, in: folder),
            let status = try target.folder.fileStatus(target.names.final)
        else { return nil }
        try checkIsUnclaimed(target)
        try checkIsPlainFile(status, target)
        return try left(target, status)
    }

    /// Looks at the place that the file goes to, before anything is asked of the network.
    ///
    /// - Returns: The folder, where it is there already, and whether there is a file of the name that the request or the
    ///   URL gives.
    /// - Throws: `localFile` where the folder or `-o` can't be used.
    func inspectDestination() throws(DownloadError) -> (folder: Folder?, isThere: Bool) {
        guard let folder = try Target.existingFolder(request) else { return (nil, false) }
        try folder.checkIsWritable()
        guard let target = try Target(named: request, in: folder) else {
            let name = FileName.choose(
                contentDisposition: nil,
                requestedURLPath: scope.url.path,
                finalURLPath: scope.url.path,
                limit: folder.longestNameByteCount
            )
            return (folder, try folder.fileStatus(name) != nil)
        }
        guard let status = try folder.fileStatus(target.names.final) else { return (folder, false) }
        try checkIsPlainFile(status, target)
        return (folder, true)
    }

    /// Two entries of one list with the same name: the second must not pass as what the first has just fetched.
    func checkIsUnclaimed(_ target: Target) throws(DownloadError) {
        guard let taken = request.takenPaths, !(isPathFree ?? taken.take(target.path)) else { return }
        throw DownloadError(
            .localFile,
            "Another URL of this run goes to '\(target.path)' too; choose another name with \(request.advice.name).",
            url: scope.url.redacted
        )
    }

    /// - Returns: The report where the file at NAME is accepted; `nil` where the download goes on.
    func existing(_ target: Target, _ probe: Probe) throws(DownloadError) -> DownloadReport? {
        guard let status = try PublishedLeftovers.remove(in: target.folder, names: target.names) else { return nil }
        try checkIsPlainFile(status, target)
        switch request.existing {
        case .overwrite, .rename: return nil
        case .skip: return try left(target, status)
        case .check: return try compared(target, probe)
        }
    }

    /// Leaves a file as it is, where it has the digest that was asked for.
    private func left(_ target: Target, _ status: FileStatus) throws(DownloadError) -> DownloadReport {
        guard request.checksum != nil else { return accepted(target, length: status.size, .none) }
        return try accepted(ReadOnlyFile(in: target.folder, name: target.names.final), target, .none)
    }

    private var choices: String {
        "use \(request.advice.overwrite) to replace it, --exists rename or skip, or another name with \(request.advice.name)"
    }

    private func checkIsPlainFile(_ status: FileStatus, _ target: Target) throws(DownloadError) {
        guard status.kind == .regular else {
            throw DownloadError(
                .localFile,
                "'\(target.path)' is \(status.kind.nounPhrase), which is never replaced; choose another name with \(request.advice.name)."
            )
        }
    }

    private func compared(_ target: Target, _ probe: Probe) throws(DownloadError) -> DownloadReport {
        control.enter(.comparing)
        let file = try ReadOnlyFile(in: target.folder, name: target.names.final)
        guard let length = probe.resource.length else {
            throw DownloadError(
                .localFile,
                "'\(target.path)' is there already, and the server tells no length to compare it by: \(choices)."
            )
        }
        // Held connections would stand in the way of the sample requests.
        probe.held?.discard()
        if file.size != length, probe.isFromHead {
            // Some servers tell HEAD another length than GET.
            return try compared(target, try look())
        }
        guard file.size == length else {
            throw DownloadError(
                .localFile,
                "'\(target.path)' is there already with \(file.size) bytes, and the server has \(length): \(choices)."
            )
        }
        guard probe.access == .ranges else { return try accepted(file, target, .length) }
        switch try samples(of: probe).compare(file, length: length) {
        case .same: return try accepted(file, target, .samples)
        case .impossible: return try accepted(file, target, .length)
        case .different:
            throw DownloadError(
                .localFile,
                "'\(target.path)' is there already with the same length but other bytes than the server's: \(choices)."
            )
        }
    }

    /// Accepts a file whose length or sample blocks are right, where its digest is right too.
    private func accepted(
        _ file: borrowing ReadOnlyFile,
        _ target: Target,
        _ verification: DownloadReport.Verification
    ) throws(DownloadError) -> DownloadReport {
        let matches = try digestMatches(file)
        guard matches ?? true else {
            throw DownloadError(
                .localFile,
                "'\(target.path)' is there already with another digest than the one asked for: use "
                    + "\(request.advice.overwrite) to replace it, --exists rename, or another name with \(request.advice.name)."
            )
        }
        if matches == nil, verification == .length, file.size > 0 {
            control.note("The server has no ranges: only the length of '\(target.path)' was compared.")
        }
        return accepted(target, length: file.size, matches == nil ? verification : .checksum)
    }

    private func accepted(
        _ target: Target,
        length: Int64,
        _ verification: DownloadReport.Verification
    ) -> DownloadReport {
        DownloadReport(
            outcome: .existing,
            path: target.path,
            length: length,
            receivedByteCount: control.counters.receivedByteCount,
            refetchedByteCount: control.counters.refetchedByteCount,
            resumedByteCount: 0,
            elapsed: control.elapsed,
            verification: verification
        )
    }
}
