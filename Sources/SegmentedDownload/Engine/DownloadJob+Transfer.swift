internal import SegmentedDownloadCore

// Fetching what is missing, and going on where the server's answers change meanwhile.
extension DownloadJob {
    /// What a transfer ended with.
    struct Transferred {
        let length: Int64
        let resource: Resource
        /// Whether the bytes of an earlier run were proven by sample blocks, since validators could not tell.
        var isProvenBySamples = false
        /// Whether the digest is the one asked for.
        var isProvenByChecksum = false
    }

    /// Fetches the file into the part file.
    ///
    /// - Returns: Its length in bytes, and what says that it is the right one.
    func transfer(_ probe: Probe, to file: PartFile, of target: Target) throws(DownloadError) -> Transferred {
        let digest = request.checksum.map { DigestFollower(file, $0.algorithm, control: control) }
        defer { digest?.cancel() }
        if let transferred = try complete(probe, digest, file, target) { return transferred }
        var course = Course(probe: probe, digest: digest)
        var start = try prepare(&course.probe, file: file, target: target)
        announce(start, course.probe, target)
        if start.resumedByteCount == 0 { digest?.restart() }
        while course.probe.resource.length != 0 {
            let ending = attempt(course, &start, file)
            course.probe.held = nil
            switch ending {
            case .complete(let length):
                try cut(file, to: length)
                try checkIsIntact(file, length)
                var transferred = Transferred(length: length, resource: course.probe.resource)
                transferred.isProvenBySamples = start.isProvenBySamples
                return try verified(transferred, digest, start, file, target)
            case .failed(let error): throw error
            case .unusableRanges(let rejection):
                try giveUpRanges(&course, after: rejection, &start, file: file, target: target)
            case .heldBytesDiffer: try restart(&course, &start, file: file, target: target)
            case .moved(let error): try resolveAgain(&course, after: error, &start, file: file, target: target)
            case .changed(let rejection, let seen):
                try goOn(&course, after: rejection, seen, &start, file: file, target: target)
            }
            // What was counted of unfinished segments is fetched again.
            control.counters.setHeld(start.resumedByteCount)
        }
        return try verified(Transferred(length: 0, resource: course.probe.resource), digest, start, file, target)
    }

    private func attempt(_ course: Course, _ start: inout Start, _ file: PartFile) -> TransferEnding {
        let probe = course.probe
        let setup = setup(probe, course.digest)
        guard case .ranges = probe.access, let ledger = start.ledger else {
            onTransfer(nil)
            let transfer = StreamTransfer(
                setup,
                ledger: start.ledger,
                partFile: file,
                journal: start.journal,
                syncs: request.syncs
            )
            defer { start.ledger = transfer.ledger }
            return transfer.run(probe.held)
        }
        let transfer = SegmentedTransfer(
            setup,
            ledger: ledger,
            partFile: file,
            journal: start.journal,
            syncs: request.syncs
        )
        onTransfer(transfer)
        defer { start.ledger = transfer.ledger }
        return transfer.run(probe.held)
    }

    private func setup(_ probe: Probe, _ digest: DigestFollower?) -> SegmentedTransfer.Setup {
        SegmentedTransfer.Setup(
            pool: pool,
            control: control,
            scope: scope,
            url: probe.url,
            resource: probe.resource,
            options: options,
            requestSize: request.requestSize,
            requestCost: probe.requestCost,
            digest: digest
        )
    }

    func announce(_ start: Start, _ probe: Probe, _ target: Target) {
        var isSingleStream = false
        if case .stream(let reason) = probe.access, probe.resource.length != 0 {
            isSingleStream = true
            control.note("Fetching as one plain stream, which can't be resumed: \(reason).")
        }
        control.counters.begin(resumed: start.resumedByteCount)
        control.emit(
            .started(
                .init(
                    url: scope.url.redacted,
                    path: target.path,
                    length: probe.resource.length,
                    segmentCount: isSingleStream ? 0 : start.ledger?.plan.segmentCount ?? 0,
                    resumedByteCount: start.resumedByteCount,
                    isSingleStream: isSingleStream
                )
            )
        )
        control.enter(.transferring)
    }

    /// An attempt that failed may have come farther than the one that was complete.
    private func cut(_ file: PartFile, to length: Int64) throws(DownloadError) {
        guard try file.checkIsWhole(leastByteCount: length) != length else { return }
        try file.truncate(to: length)
        try sync(file)
    }
}
