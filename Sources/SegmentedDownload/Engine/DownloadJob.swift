internal import SegmentedDownloadCore

/// One download from its URL to its file: straight-line code on the download's queue, which blocks where it waits.
///
/// Asking, preparing the files, transferring and finishing are a file each.
struct DownloadJob {
    let request: DownloadRequest
    /// Whether the path that the request names was free when the download was started; `nil` where it names none.
    let isPathFree: Bool?
    let options: SessionOptions
    let pool: WorkerPool
    let control: DownloadControl
    let scope: OriginScope
    /// Told of the transfer, for the map of its segments.
    let onTransfer: @Sendable (SegmentedTransfer?) -> Void

    /// - Throws: `usage` where the request can't be meant.
    init(
        _ request: DownloadRequest,
        isPathFree: Bool?,
        options: SessionOptions,
        pool: WorkerPool,
        access: SessionAccess,
        control: DownloadControl,
        onTransfer: @escaping @Sendable (SegmentedTransfer?) -> Void
    ) throws(DownloadError) {
        guard SegmentPlan.segmentSizes.contains(request.segmentSize) else {
            throw DownloadError(.usage, "A segment has 64 KiB to 1 GiB, not \(request.segmentSize) bytes.")
        }
        do throws(HTTPURL.ParseError) {
            scope = OriginScope(url: try HTTPURL(request.url), request: request, access: access)
        } catch {
            switch error {
            case .unsupportedScheme:
                throw DownloadError(
                    .usage,
                    "Only http:// and https:// URLs can be fetched; write the URL with one of them."
                )
            case .malformed(let problem):
                throw DownloadError(.usage, "The URL is not valid; check how it is written.", underlying: problem)
            }
        }
        try scope.admit(scope.url)
        self.request = request
        self.isPathFree = isPathFree
        self.options = options
        self.pool = pool
        self.control = control
        self.onTransfer = onTransfer
    }

    /// Does all of it.
    func run() throws(DownloadError) -> DownloadReport {
        if let report = try skipped() { return report }
        let (folder, isThere) = try inspectDestination()
        // What OpenSSL lacks is told before anything is fetched.
        if let checksum = request.checksum { _ = try MessageDigest(checksum.algorithm) }
        if let note = scope.proxyNote(for: scope.url) { control.detail(note) }
        var prober = prober(isFirst: true)
        // What a file is compared with costs less to be told by HEAD than by the start of a body that is not wanted.
        if request.skipsHead { prober.triesHead = isThere }
        prober.preconnects = !isThere
        // What has more segments than one may be recorded, and is fetched by several connections.
        if !isThere { prober.collectedByteCount = min(Int64(pool.gatherBufferSize), request.segmentSize) }
        let probe = try prober.probe()
        do throws(DownloadError) {
            return try run(probe, folder)
        } catch {
            // Harmless where the held answer has found its use.
            probe.held?.discard()
            throw error
        }
    }

    private func run(_ probe: Probe, _ folder: Folder?) throws(DownloadError) -> DownloadReport {
        control.counters.setLength(probe.resource.length)
        let target = try Target(request, in: folder, probe: probe, requestedURL: scope.url)
        try checkIsUnclaimed(target)
        if let report = try existing(target, probe) {
            probe.held?.discard()
            return report
        }
        try Journal.checkNames(in: target.folder, names: target.names)
        let file = try PartFile.openLocked(in: target.folder, name: target.names.part)
        defer { file.unlock() }
        if !file.isLocked {
            control.note("The file system has no locks: nothing keeps a second segdl from writing to the same file.")
        }
        let transferred: Transferred
        do throws(DownloadError) {
            transferred = try transfer(probe, to: file, of: target)
        } catch {
            // What could not be tidied up is found by the next run; the error that ended this one is the one to tell.
            try? removeIfEmpty(file, target)
            throw error
        }
        do throws(DownloadError) {
            return try finish(file, target, transferred)
        } catch {
            // All of it is there: the next run is to fetch nothing. Not without a length, by which that one would know the
            // file. Where it can't be recorded, this error is the one to tell.
            if transferred.resource.length != nil {
                try? recordAll(transferred.length, transferred.resource, file, target)
            }
            throw error
        }
    }

    /// - Parameters:
    ///   - isFirst: Whether the run has had no usable answer yet.
    ///   - isFresh: Whether every request goes over a new connection.
    func prober(isFirst: Bool, isFresh: Bool = false) -> Prober {
        Prober(pool: pool, control: control, scope: scope, options: options, isFirst: isFirst, isFresh: isFresh)
    }

    /// Asks again, in the middle of a run, what the resource is; the answer's bytes are not wanted.
    func look(isFresh: Bool = false) throws(DownloadError) -> Probe {
        var prober = prober(isFirst: false, isFresh: isFresh)
        var probe = try prober.probe()
        probe.held?.discard()
        probe.held = nil
        return probe
    }

    func samples(of probe: Probe) -> SampleBlocks {
        SampleBlocks(
            pool: pool,
            control: control,
            scope: scope,
            options: options,
            url: probe.url,
            resource: probe.resource
        )
    }
}
