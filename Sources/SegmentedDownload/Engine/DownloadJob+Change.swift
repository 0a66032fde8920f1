internal import SegmentedDownloadCore

// When a change of the resource is believed.
extension DownloadJob {
    /// What fresh probes say of an answer that did not fit the resource as known.
    enum ChangeVerdict {
        /// It was a slip: the resource is as known. Holds what the probe found.
        case same(Probe)
        /// Its ETag differs from answer to answer while all else stays: it tells nothing.
        case unstableTag(Probe)
        /// All probes agree on another resource.
        case changed(Probe)
    }

    /// So many probes more must agree where only the ETag is new: several machines behind one name may take turns.
    private static let tagProbeCount = 3

    /// Asks again, on fresh connections and with GET, since HEAD is not always true.
    ///
    /// - Parameters:
    ///   - known: The resource as known.
    ///   - seen: What the answer that did not fit was about; `nil` where it was HEAD's.
    ///   - isByContent: Whether bytes differ, so that validators can't say that nothing has changed.
    /// - Throws: `protocol` where a web page came instead, or where the probes contradict each other.
    func judgeChange(
        from known: Resource,
        seen: Resource?,
        isByContent: Bool = false
    ) throws(DownloadError) -> ChangeVerdict {
        let first = try freshProbe(insteadOf: known)
        if !isByContent, !isChanged(first, from: known) {
            // Without a date one odd tag is a slip: ignoring it costs the ranges.
            guard let seen, seen.differsOnlyInTag(from: known), known.validators.lastModified != nil else {
                return .same(first)
            }
            return .unstableTag(first)
        }
        guard !isByContent, first.resource.differsOnlyInTag(from: known) else {
            let second = try freshProbe(insteadOf: known)
            guard !isChanged(second, from: first.resource) else { throw contradiction }
            return .changed(first)
        }
        for _ in 0..<Self.tagProbeCount {
            let next = try freshProbe(insteadOf: known)
            if next.resource.differsOnlyInTag(from: first.resource) { return .unstableTag(next) }
            guard !isChanged(next, from: first.resource) else { throw contradiction }
        }
        return .changed(first)
    }

    /// Says once that the ETag is ignored, and does so. Without a date nothing is left that tells whether two answers are
    /// about the same bytes: only those of one answer belong together for sure, and the bytes held are compared with it.
    func ignoreTag(_ probe: inout Probe) {
        guard probe.resource.validators.strongETag != nil else { return }
        if probe.resource.validators.lastModified != nil {
            control.note("The file's ETag differs from answer to answer while date and length stay: it is ignored.")
        } else {
            control.note(
                "The file's ETag differs from answer to answer, and it has no date: fetching it as one stream, in "
                    + "which all bytes are of one version."
            )
            probe.access = .stream(reason: "its ETag differs from answer to answer")
        }
        probe.resource = probe.resource.ignoringTag
    }

    private func isChanged(_ probe: Probe, from known: Resource) -> Bool {
        probe.resource.length != known.length || probe.resource.sameness(with: known) == .different
    }

    private func freshProbe(insteadOf known: Resource) throws(DownloadError) -> Probe {
        let probe = try look(isFresh: true)
        try checkIsNoPage(probe, insteadOf: known)
        return probe
    }

    /// A captive portal or a login page is no new version of a file.
    func checkIsNoPage(_ probe: Probe, insteadOf known: Resource) throws(DownloadError) {
        guard known.isReplacedByPage(probe.resource) else { return }
        throw DownloadError(
            .protocol,
            "The server sends a web page where the file was: a login page, or a network that wants one. Run the "
                + "command again when it is away, or use \(request.advice.restart) to throw away what is there.",
            url: scope.url.redacted
        )
    }

    private var contradiction: DownloadError {
        DownloadError(
            .protocol,
            "The server tells different things about the file from one answer to the next; run the command again "
                + "later, or use \(request.advice.restart) to throw away what is there.",
            url: scope.url.redacted
        )
    }
}
