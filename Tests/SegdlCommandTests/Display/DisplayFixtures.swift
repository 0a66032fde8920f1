import SegdlCommand

@testable import SegmentedDownload

/// A download of 1000 MiB under way.
func progress(
    _ phase: DownloadProgress.Phase = .transferring,
    held: Int64 = 430 << 20,
    length: Int64? = 1000 << 20,
    resumed: Int64 = 0
) -> DownloadProgress {
    DownloadProgress(
        phase: phase,
        length: length,
        heldByteCount: held,
        resumedByteCount: resumed,
        receivedByteCount: held - resumed,
        connectionCount: 8
    )
}

func snapshot(
    _ progress: DownloadProgress?,
    at seconds: Double = 1,
    width: Int = 80,
    isDrawable: Bool = true,
    number: Int = 1,
    tally: RunTally = RunTally(),
    open: [OpenEntry]? = nil
) -> Snapshot {
    let only = OpenEntry(number: number, progress: progress, elapsed: .seconds(seconds))
    return Snapshot(
        number: number,
        progress: progress,
        elapsed: .seconds(seconds),
        unixTime: 1_796_000_000 + seconds,
        width: width,
        isDrawable: isDrawable,
        segmentMap: { count in (0..<count).map { $0 * 100 < count * 43 ? 1 : 0 } },
        run: tally,
        runElapsed: .seconds(seconds),
        open: { open ?? [only] }
    )
}

func start(
    _ path: String = "./disk.iso",
    length: Int64? = 1000 << 20,
    resumed: Int64 = 0
) -> DownloadEvent {
    .started(
        DownloadEvent.Start(
            url: "https://example.org/disk.iso",
            path: path,
            length: length,
            segmentCount: 4000,
            resumedByteCount: resumed,
            isSingleStream: false
        )
    )
}

func report(
    _ verification: DownloadReport.Verification = .strongETag,
    outcome: DownloadReport.Outcome = .downloaded,
    resumed: Int64 = 0,
    path: String = "./disk.iso"
) -> DownloadReport {
    DownloadReport(
        outcome: outcome,
        path: path,
        length: 1 << 30,
        receivedByteCount: (1 << 30) - resumed,
        refetchedByteCount: 0,
        resumedByteCount: resumed,
        elapsed: .milliseconds(900),
        verification: verification
    )
}

let entry = Entry(number: 1, isOneOfSeveral: false, url: "https://example.org/disk.iso")

func messages(_ verbosity: Options.Verbosity = .normal) -> MessageText {
    MessageText(verbosity: verbosity, isASCII: false)
}

func connection(_ number: Int, _ change: DownloadEvent.Connection.Change, _ reason: String) -> DownloadEvent {
    .connection(DownloadEvent.Connection(number: number, change: change, reason: reason))
}

func retry(_ round: Int, _ wait: Duration, _ reason: String) -> DownloadEvent {
    .retry(DownloadEvent.Retry(round: round, wait: wait, reason: reason))
}
