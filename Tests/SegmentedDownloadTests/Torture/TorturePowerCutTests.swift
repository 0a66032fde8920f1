import Foundation
import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

/// Power cuts, simulated: a real download is recorded call by call, and then the folder that a cut might have left is
/// made, and the real library goes on with it. SQLite's way, and ALICE's (Pillai et al., OSDI 2014).
@Suite(.timeLimit(.minutes(30))) struct TorturePowerCutTests {
    private static let seedCount = TortureMode.randomCount(220, long: 2200) / PowerCutScenario.all.count

    @Test(
        "After a power cut at any point the rerun brings the right bytes, and fetches nothing that was synced",
        arguments: PowerCutScenario.all.filter { TortureMode.picks($0.name) }
    )
    func cut(scenario: PowerCutScenario) throws {
        try FaultServer.run([:]) { server in
            let session = try Session(TortureStep.options)
            defer { session.close() }
            let model = try record(scenario, server, session)
            server.setRoute("/file", scenario.rerun.route)
            let cuts = cuts(model, scenario)
            defer { TortureMode.report(cuts.count, "simulated power cuts") }
            for (number, cut) in cuts.enumerated() {
                let tried = try CutTrial(scenario: scenario, model: model, cut: cut.point, loss: cut.loss, seed: number)
                try tried.run(server.url("/file"), session)
            }
        }
    }

    private func record(_ scenario: PowerCutScenario, _ server: FaultServer, _ session: Session) throws -> CrashModel {
        let folder = try TemporaryFolder()
        if scenario.hasPreciousFile { try TortureStep.precious.write(toFileAt: folder.path("file")) }
        let recorder = try OperationRecorder(in: folder.path)
        recorder.record {
            for step in scenario.steps {
                server.setRoute("/file", step.route)
                let (result, _) = step.run(server.url("/file"), in: folder.path, session)
                guard step.answeredCount == nil else { continue }
                #expect(throws: Never.self) { try result.get() }
            }
        }
        let model = CrashModel(recorder)
        #expect(try scenario.rerun.content.matches(fileAt: folder.path(scenario.finalName)))
        // What is recorded is what happened.
        for (name, file) in model.view(cut: model.log.count).files {
            #expect(FileManager.default.contents(atPath: folder.path(name)).map([UInt8].init) == file.bytes)
        }
        return model
    }

    /// Before and after each sync with each loss where everything is tried, and random ones.
    private func cuts(_ model: CrashModel, _ scenario: PowerCutScenario) -> [(point: Int, loss: CrashModel.Loss)] {
        let syncs = model.log.indices.filter { model.log[$0].isSync }
        var random = SeededRandom(seed: TortureMode.seed)
        var cuts: [(Int, CrashModel.Loss)] = []
        if TortureMode.current == .long {
            for sync in syncs {
                for loss in CrashModel.Loss.allCases { cuts += [(sync, loss), (sync + 1, loss)] }
            }
        }
        for number in 0..<Self.seedCount {
            let loss = CrashModel.Loss.allCases[number % CrashModel.Loss.allCases.count]
            let anywhere = Int.random(in: 0...model.log.count, using: &random)
            let sync = syncs.randomElement(using: &random) ?? anywhere
            // Right before a sync most can be lost, and right after one what it did not cover.
            cuts.append(([anywhere, sync, sync, sync + 1, model.log.count][number % 5], loss))
        }
        return cuts
    }
}

/// One folder after one cut.
private struct CutTrial {
    let scenario: PowerCutScenario
    let model: CrashModel
    let cut: Int
    let loss: CrashModel.Loss
    let image: FolderState

    init(scenario: PowerCutScenario, model: CrashModel, cut: Int, loss: CrashModel.Loss, seed: Int) throws {
        (self.scenario, self.model, self.cut, self.loss) = (scenario, model, cut, loss)
        var random = SeededRandom(seed: TortureMode.seed &+ UInt64(seed))
        image = model.image(cut: cut, loss: loss, random: &random)
    }

    private var place: Comment {
        "\(scenario.name): cut after \(cut) of \(model.log.count) operations, \(loss), seed \(TortureMode.seed)"
    }

    func run(_ url: String, _ session: Session) throws {
        let final = image.files[scenario.finalName]?.bytes
        let content = scenario.rerun.content.bytes(in: 0..<scenario.rerun.content.length)
        let precious = TortureStep.precious.bytes(in: 0..<TortureStep.precious.length)
        // Without syncs a cut may cost the file that has its name: that was the bargain.
        let isLost = !scenario.syncs && loss != .nothing && final != nil
        guard !isLost else { return }
        if scenario.hasPreciousFile {
            #expect(final == precious || final == content || scenario.finalName != "file" && final == nil, place)
            if scenario.finalName != "file" { #expect(image.files["file"]?.bytes == precious, place) }
        } else {
            #expect(final == nil || final == content, place)
        }
        // The run had ended well: nothing can take that back.
        if scenario.syncs, cut == model.log.count { #expect(final == content, place) }
        let folder = try TemporaryFolder()
        try image.put(into: folder.path, isAfterRestart: loss != .nothing)
        let (result, notes) = scenario.rerun.run(url, in: folder.path, session)
        // Without a length NAME can't be compared with what the server has.
        if !scenario.rerun.tellsLength, final != nil { return }
        guard case .success(let report) = result else {
            Issue.record("\(place.rawValue): \(result)")
            return
        }
        #expect(try scenario.rerun.content.difference(fromFileAt: report.path) == nil, place)
        let limit = scenario.rerun.content.length - promisedByteCount
        #expect(report.receivedByteCount <= limit, "\(place.rawValue), promised \(promisedByteCount); \(notes)")
        let expected: Set = scenario.hasPreciousFile ? ["file", "\(scenario.finalName)"] : ["file"]
        #expect(Set(try folder.names()).subtracting(["file.2"]) == expected, place)
    }

    /// Bytes of the segments whose bits no cut may lose.
    private var promisedByteCount: Int64 {
        guard scenario.isResumed, scenario.syncs || loss == .nothing else { return 0 }
        let view = model.view(cut: cut)
        let journal = "\(scenario.finalName).segdl.journal"
        // Where NAME is there already the rerun may well fetch sample blocks, or all of it.
        guard view.files[scenario.finalName].map({ $0.bytes.count != scenario.rerun.content.length }) ?? true,
            view.files["\(scenario.finalName).segdl.part"]?.bytes.count == Int(scenario.rerun.content.length),
            let bytes = loss == .nothing ? view.files[journal]?.bytes : model.syncedBytes(ofFileAt: journal, cut: cut),
            let snapshot = JournalSnapshot(bytes: bytes)
        else { return 0 }
        return snapshot.finishedByteCount
    }
}
