import Foundation
import SegmentedDownload
import SegmentedDownloadTestSupport
import Testing

/// curl's torture: every call on files fails once, in every way.
@Suite(.timeLimit(.minutes(60))) struct TortureSystemCallTests {
    @Test(
        "Whatever call fails, the file is right or the error local, and a rerun completes it",
        arguments: TortureScenario.all.filter { TortureMode.picks($0.name) }
    )
    func torture(scenario: TortureScenario) throws {
        try FaultServer.run([:]) { server in
            let session = try Session(TortureStep.options)
            defer { session.close() }
            let before = try prepared(scenario, server, session)
            server.setRoute("/file", scenario.step.route)
            var random = SeededRandom(seed: TortureMode.seed)
            var (number, choice) = (step(&random), 0)
            var hitCount = 0
            defer { TortureMode.report(hitCount, "failed system calls") }
            while true {
                if TortureMode.current != .long { choice = Int.random(in: 0..<6, using: &random) }
                let isLasting = Bool.random(using: &random)
                var trial = TortureTrial(scenario: scenario, number: number, choice: choice, isLasting: isLasting)
                let outcome = try trial.run(before, server.url("/file"), session)
                if case .hit = outcome { hitCount += 1 }
                switch outcome {
                case .hit where TortureMode.current == .long: choice += 1
                case .hit, .noSuchFault: (number, choice) = (number + step(&random), 0)
                case .noSuchCall: return
                }
            }
        }
    }

    /// Nothing follows from `close`, whatever it says. `read` is for what is no file of the download: a netrc, `/proc/locks`.
    private static let untortured: Set<SystemCall.Name> = [.close, .read]

    @Test("Each call of the funnel is made in a scenario that fails it")
    func complete() throws {
        var calls: Set<SystemCall.Name> = []
        try FaultServer.run([:]) { server in
            let session = try Session(TortureStep.options)
            defer { session.close() }
            for scenario in TortureScenario.all {
                let before = try prepared(scenario, server, session)
                server.setRoute("/file", scenario.step.route)
                var trial = TortureTrial(scenario: scenario, number: .max, choice: 0, isLasting: false)
                _ = try trial.run(before, server.url("/file"), session)
                calls.formUnion(trial.calls)
            }
        }
        #expect(Set(SystemCall.Name.allCases).subtracting(calls) == Self.untortured)
    }

    private func step(_ random: inout SeededRandom) -> Int {
        Int.random(in: TortureMode.callSteps, using: &random)
    }

    /// What the run before leaves.
    private func prepared(
        _ scenario: TortureScenario,
        _ server: FaultServer,
        _ session: Session
    ) throws -> FolderState {
        let folder = try TemporaryFolder()
        try scenario.existing?.write(toFileAt: folder.path("file"))
        if let preparation = scenario.preparation {
            server.setRoute("/file", preparation.route)
            _ = preparation.run(server.url("/file"), in: folder.path, session)
            #expect(try folder.names() == ["file.segdl.journal", "file.segdl.part"])
        }
        return try FolderState(of: folder.path)
    }
}

/// One run with one fault, and one without.
private struct TortureTrial {
    enum Outcome {
        case hit
        /// The call has no fault of this number.
        case noSuchFault
        /// The run makes fewer calls.
        case noSuchCall
    }

    let scenario: TortureScenario
    let number: Int
    let choice: Int
    let isLasting: Bool
    /// What was called in the folder, after the run.
    private(set) var calls: Set<SystemCall.Name> = []

    init(scenario: TortureScenario, number: Int, choice: Int, isLasting: Bool) {
        (self.scenario, self.number, self.choice, self.isLasting) = (scenario, number, choice, isLasting)
    }

    mutating func run(_ before: FolderState, _ url: String, _ session: Session) throws -> Outcome {
        let folder = try TemporaryFolder()
        try before.put(into: folder.path)
        if scenario.makesFolder { try FileManager.default.removeItem(atPath: folder.path) }
        let injector = FaultInjector(
            in: folder.path,
            number: number,
            choice: choice,
            isLasting: isLasting,
            lacks: scenario.lacks
        )
        let (result, notes) = injector.inject { scenario.step.run(url, in: folder.path, session) }
        calls = injector.calls
        // One that could not be made is empty, for what looks into it from here on.
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        guard let hit = injector.hit else {
            #expect(throws: Never.self, "\(scenario.name), nothing was failed: \(notes)") { try result.get() }
            return injector.isReached ? .noSuchFault : .noSuchCall
        }
        let how = isLasting ? "from then on" : "once"
        let place: Comment = "\(scenario.name): call \(number), \(hit.call), \(hit.fault) \(how): \(result) \(notes)"
        check(result, hit, place)
        try checkFiles(folder, result, before, place)
        // Without a length NAME can't be compared with what the server has.
        if !scenario.step.tellsLength, try folder.names().contains("file") { return .hit }
        let (again, notesAgain) = scenario.step.run(url, in: folder.path, session)
        guard case .success(let report) = again else {
            Issue.record("\(place.rawValue), and the rerun: \(again)")
            return .hit
        }
        #expect(try scenario.step.content.difference(fromFileAt: report.path) == nil, place)
        checkRecord(report, result, hit, before, "\(place.rawValue), and the rerun: \(notesAgain)")
        try checkFinalNames(folder, place)
        return .hit
    }

    private func check(
        _ result: Result<DownloadReport, DownloadError>,
        _ hit: FaultInjector.Hit,
        _ place: Comment
    ) {
        switch (result, hit.fault) {
        case (.success, _): break
        case (.failure, .error(EINTR)), (.failure, .short): Issue.record("\(place.rawValue): no reason to fail")
        case (.failure(let error), _):
            #expect(error.kind == .localFile, place)
            #expect(error.message.hasSuffix("."), place)
            #expect(error.message.contains("'") || error.message.contains("There is no room"), place)
        }
    }

    /// NAME is what it was, or the right file; what stood there before is gone only where that was asked for.
    private func checkFiles(
        _ folder: TemporaryFolder,
        _ result: Result<DownloadReport, DownloadError>,
        _ before: FolderState,
        _ place: Comment
    ) throws {
        let after = try FolderState(of: folder.path)
        let right = scenario.step.content.bytes(in: 0..<scenario.step.content.length)
        for name in Set(["file", scenario.finalName]) {
            let (old, new) = (before.files[name]?.bytes, after.files[name]?.bytes)
            #expect(new == old || name == scenario.finalName && new == right, place)
        }
        if case .success(let report) = result {
            #expect(try scenario.step.content.difference(fromFileAt: report.path) == nil, place)
        }
    }

    /// What an earlier run recorded is not fetched again, whatever fails. Bits that the disk can't read are lost.
    private func checkRecord(
        _ report: DownloadReport,
        _ result: Result<DownloadReport, DownloadError>,
        _ hit: FaultInjector.Hit,
        _ before: FolderState,
        _ place: Comment
    ) {
        guard scenario.keepsRecord, hit.call != .pread || hit.fault != .error(EIO),
            let recorded = (before.files["file.segdl.journal"]?.bytes).flatMap(JournalSnapshot.init(bytes:))
        else { return }
        if case .success(let first) = result {
            #expect(first.resumedByteCount >= recorded.finishedByteCount, place)
        } else if report.outcome == .downloaded {
            #expect(report.resumedByteCount >= recorded.finishedByteCount, place)
        }
    }

    private func checkFinalNames(_ folder: TemporaryFolder, _ place: Comment) throws {
        var names = Set(try folder.names())
        // A run that failed after the rename has left the file, and the rerun took the next name.
        if scenario.finalName != "file" { names.remove("file.2") }
        #expect(names == Set(["file", scenario.finalName]), place)
    }
}
