import Foundation
import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadLocking
import SegmentedDownloadTestSupport
import Testing

/// Everything that one seed does: a run against drawn faults, for some seeds stopped in the middle, then another one,
/// and at the last one against an honest server, which brings the file whatever was before.
struct SoakRun {
    private let seed: UInt64
    private let harness: DownloadHarness
    /// The same for all legs: under another address what an earlier one left would be another file's.
    private let server: FaultServer
    private var random: SeededRandom
    private var history: [String] = []
    private var options = DownloadHarness.options()

    init(seed: UInt64) throws {
        self.seed = seed
        random = SeededRandom(seed: seed)
        harness = try DownloadHarness()
        server = try FaultServer([:])
        options.jobs = random.one(of: [1, 2, 4, 8, 8])
        options.retryRounds = 6
        // On a busy machine the server sees later that a HEAD without an answer was given up, and has no room until then.
        options.retryWait = .milliseconds(30)
        options.stallTimeout = SoakFault.silence
        options.headPatience = SoakFault.silence
    }

    mutating func run() throws {
        defer { server.stop() }
        try runLegs()
        try server.checkHealthy()
    }

    private mutating func runLegs() throws {
        let longest = random.one(of: [64 * KiB, 2 * MiB, 2 * MiB, 2 * MiB])
        let length = Int64.random(in: 1...longest, using: &random)
        var script = SoakScript(PatternContent(seed: seed, length: length), &random)
        let stop = random.happens(0.4) ? Double.random(in: 0.1...0.9, using: &random) : nil
        let first = try leg(script, stop: stop)
        if first.isOver { return }
        var contents = [script.content, script.lastContent]
        if stop != nil {
            if random.happens(0.7) { script = SoakScript(script.lastContent, &random) }
            contents += [script.content, script.lastContent]
            let second = try leg(script, heldBefore: contents)
            if second.isOver { return }
        }
        _ = try leg(SoakScript(honest: script.lastContent), heldBefore: contents)
    }

    /// How a leg ended.
    private enum Ending {
        case file
        case failure
        case stopped
        case hung

        /// Whether there is nothing left to go on with.
        var isOver: Bool { self == .file || self == .hung }
    }

    /// One run, and what it is held to.
    ///
    /// - Parameter stop: The share of the file after which it is cancelled; `nil` lets it go on.
    private mutating func leg(
        _ script: SoakScript,
        stop: Double? = nil,
        heldBefore: [PatternContent] = []
    ) throws -> Ending {
        let verdict = SoakVerdict(
            seed: seed,
            script: script,
            jobs: options.jobs,
            history: history,
            folder: harness.folder
        )
        let contents = heldBefore + [script.content, script.lastContent]
        for (path, route) in script.routes { server.setRoute(path, route) }
        let before = server.log
        let session = try Session(options)
        let request = harness.request(server.url(SoakScript.start)) { $0.output = "file" }
        let download = harness.start(request, in: session)
        let limit = stop.map { before.bytesSent + Int64($0 * Double(script.content.length)) } ?? .max
        let result = download.result(within: script.patience) { server.log.bytesSent > limit }
        guard let result else {
            verdict.recordHang()
            return .hung
        }
        session.close()
        try server.release()
        verdict.check(
            traffic: download.progress.receivedByteCount,
            requests: server.requests.count - before.requests.count
        )
        return try judge(result, by: verdict, contents, isStopped: stop != nil)
    }

    private mutating func judge(
        _ result: Result<DownloadReport, DownloadError>,
        by verdict: SoakVerdict,
        _ contents: [PatternContent],
        isStopped: Bool
    ) throws -> Ending {
        switch result {
        case .success(let report):
            try verdict.check(report)
            return .file
        case .failure(let error):
            history.append("\(verdict.script) → \(error)")
            let hasObeyed = isStopped && error.kind == .cancelled
            if !hasObeyed { try verdict.check(error) }
            try verdict.checkHeld(contents)
            return hasObeyed ? .stopped : .failure
        }
    }
}

extension Download {
    /// Waits for the end.
    ///
    /// - Parameter shouldStop: Looked at now and then; the download is cancelled once it is true.
    /// - Returns: How it ended; `nil` where it has not in time.
    fileprivate func result(
        within patience: Duration,
        stopWhen shouldStop: () -> Bool
    ) -> Result<DownloadReport, DownloadError>? {
        let outcome = Locked<Result<DownloadReport, DownloadError>?>(nil)
        let ended = DispatchSemaphore(value: 0)
        Thread { [self] in
            do throws(DownloadError) {
                let report = try wait()
                outcome.withLock { $0 = .success(report) }
            } catch {
                outcome.withLock { $0 = .failure(error) }
            }
            ended.signal()
        }
        .start()
        let deadline = ContinuousClock.now + patience
        // Nothing depends on the length of this pause.
        while ended.wait(timeout: .now() + .milliseconds(5)) == .timedOut {
            if shouldStop() { cancel() }
            if .now > deadline {
                cancel()
                return nil
            }
        }
        return outcome.withLock { $0 }
    }
}
