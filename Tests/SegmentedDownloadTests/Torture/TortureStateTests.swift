import Foundation
import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

/// Random damage to part file and journal: a program that writes where it should not, a backup that was put back.
@Suite(.timeLimit(.minutes(10))) struct TortureStateTests {
    private static let seedCount = TortureMode.randomCount(270, long: 5400) / StateDamage.allCases.count

    @Test(
        "Whatever became of journal and part file, the bytes are right, and a note says what was thrown away",
        arguments: StateDamage.allCases,
        [true, false]
    )
    func damage(damage: StateDamage, hasValidators: Bool) throws {
        try FaultServer.run([:]) { server in
            let session = try Session(TortureStep.options)
            defer { session.close() }
            let step = TortureStep(hasValidators: hasValidators)
            let url = server.url("/file")
            // Without validators 16 of the answers are sample blocks.
            let (earlier, state) = try left(by: step, after: [5, hasValidators ? 7 : 24], server, session)
            let other = TortureStep(content: TortureStep.oldContent)
            let (_, foreign) = try left(by: other, after: [4, 8], server, session)
            server.setRoute("/file", step.route)
            defer { TortureMode.report(Self.seedCount / 2, "damages to journal and part file") }
            for seed in 0..<Self.seedCount / 2 {
                var random = SeededRandom(seed: TortureMode.seed &+ UInt64(seed))
                var damaged = state
                damage.apply(to: &damaged, earlier: earlier, foreign: foreign, &random)
                let folder = try TemporaryFolder()
                try damaged.put(into: folder.path)
                let place: Comment = "\(damage), seed \(TortureMode.seed) + \(seed)"
                let (result, notes) = step.run(url, in: folder.path, session)
                guard case .success(let report) = result else {
                    Issue.record("\(place.rawValue): \(result)")
                    continue
                }
                #expect(try step.content.difference(fromFileAt: report.path) == nil, place)
                #expect(try folder.names() == ["file"], place)
                let isLess = report.resumedByteCount < finishedByteCount(state)
                #expect(!isLess || damage.isSilent || !notes.isEmpty, place)
            }
        }
    }

    /// What runs leave that are answered so many requests each: after the first of them and after the last.
    private func left(
        by step: TortureStep,
        after answeredCounts: [Int],
        _ server: FaultServer,
        _ session: Session
    ) throws -> (earlier: FolderState, last: FolderState) {
        let folder = try TemporaryFolder()
        var states: [FolderState] = []
        for count in answeredCounts {
            var step = step
            step.answeredCount = count
            server.setRoute("/file", step.route)
            _ = step.run(server.url("/file"), in: folder.path, session)
            states.append(try FolderState(of: folder.path))
        }
        try #require(finishedByteCount(states[0]) < finishedByteCount(states[1]))
        return (states[0], states[1])
    }

    private func finishedByteCount(_ state: FolderState) -> Int64 {
        (state.files["file.segdl.journal"]?.bytes).flatMap(JournalSnapshot.init(bytes:))?.finishedByteCount ?? 0
    }
}
