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
        let earlier = request.restarts ? nil : try Journal.load(in: target.folder, names: target.names, partFile: file)
        if let transferred = try complete(probe, digest, earlier, file) { return transferred }
        var probe = probe
        let start = try prepare(&probe, earlier, file: file, target: target)
        var course = Course(probe, start, file: file, target: target, digest: digest)
        announce(course)
        if start.resumedByteCount == 0 { digest?.restart() }
        while course.probe.resource.length != 0 {
            let ending = attempt(&course)
            switch ending {
            case .complete(let length):
                try checkIsIntact(file, length)
                return try verified(length: length, course)
            case .failed(let error):
                // Without a journal the next run knows of nothing.
                control.counters.setHeld(course.start.journal == nil ? 0 : course.start.ledger?.finishedByteCount ?? 0)
                throw error
            case .unusableRanges(let rejection): try giveUpRanges(&course, after: rejection)
            case .heldBytesDiffer: try restart(&course)
            case .moved(let error): try resolveAgain(&course, after: error)
            case .changed(let rejection, let seen): try goOn(&course, after: rejection, seen)
            }
            // A stream writes unfinished segments anew, from their first byte.
            if course.probe.access != .ranges { course.start.ledger?.forgetUnfinished() }
            control.counters.setHeld(course.start.heldByteCount)
        }
        return try verified(length: 0, course)
    }

    private func attempt(_ course: inout Course) -> TransferEnding {
        let setup = setup(course.probe, course.digest)
        let start = course.start
        var held = course.probe.held
        course.probe.held = nil
        switch held?.claim() {
        case .coming: break
        case .whole(let bytes) where start.heldByteCount == 0 && start.journal == nil: return store(bytes, course)
        case .whole, nil: held = nil
        }
        guard case .ranges = course.probe.access, let ledger = start.ledger else {
            control.preconnections.close()
            onTransfer(nil)
            let transfer = StreamTransfer(
                setup,
                ledger: start.ledger,
                partFile: course.file,
                journal: start.journal,
                syncs: request.syncs
            )
            defer { course.start.ledger = transfer.ledger }
            return transfer.run(held)
        }
        let transfer = SegmentedTransfer(
            setup,
            ledger: ledger,
            partFile: course.file,
            journal: start.journal,
            syncs: request.syncs
        )
        onTransfer(transfer)
        defer { course.start.ledger = transfer.ledger }
        return transfer.run(held)
    }

    /// Writes a small file that came whole with the probe's answer; the connection is another download's by then.
    private func store(_ bytes: [UInt8], _ course: Course) -> TransferEnding {
        // A host's number of connections is learnt from small files, too.
        control.tellOfHost(course.probe.url.origin)
        control.tellLastFinding(course.probe.url.origin)
        let length = Int64(bytes.count)
        control.counters.adopt(length)
        control.enter(.syncing)
        do throws(Errno) {
            try bytes.withUnsafeBufferPointer { buffer throws(Errno) in
                try course.file.write(UnsafeRawBufferPointer(buffer), at: 0)
            }
        } catch {
            return .failed(course.file.writeError(error))
        }
        course.digest?.advance(to: length)
        do throws(DownloadError) {
            try sync(course.file)
        } catch {
            return .failed(error)
        }
        return .complete(length: length)
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

    func announce(_ course: Course) {
        let (probe, start) = (course.probe, course.start)
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
                    path: course.target.path,
                    length: probe.resource.length,
                    segmentCount: isSingleStream ? 0 : start.ledger?.plan.segmentCount ?? 0,
                    resumedByteCount: start.resumedByteCount,
                    isSingleStream: isSingleStream
                )
            )
        )
        control.enter(.transferring)
    }
}
