import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

/// Holds one run of a soak to what its script allows. Each issue says what the server did, and how to see it again.
struct SoakVerdict {
    let seed: UInt64
    let script: SoakScript
    let jobs: Int
    /// What earlier runs of the seed met, and how they ended.
    let history: [String]
    let folder: TemporaryFolder

    private func record(_ problem: String) {
        let earlier = history.enumerated().map { "run \($0 + 1): \($1)\n" }.joined()
        Issue.record(
            """
            \(problem)
            \(earlier)run \(history.count + 1): \(script)
            -j \(jobs); to see it again: scripts/soak \(seed)
            """
        )
    }

    func recordHang() { record("it has not ended in \(script.patience)") }

    /// What it cost.
    ///
    /// - Parameter traffic: Body bytes received.
    func check(traffic: Int64, requests: Int) {
        if traffic > script.trafficLimit { record("\(traffic) bytes, and \(script.trafficLimit) are allowed") }
        let requestLimit = script.requestLimit(jobs: jobs)
        if requests > requestLimit { record("\(requests) requests, and \(requestLimit) are allowed") }
    }

    /// NAME is there and whole.
    func check(_ report: DownloadReport) throws {
        let path = folder.path("file")
        let differences = try [script.content, script.lastContent].map { try $0.difference(fromFileAt: path) }
        let isUnproven = report.verification == .none && script.mayHideEnd
        if !differences.contains(nil), try !(isUnproven && isPrefix(path, length: report.length)) {
            record("wrong bytes at NAME, verified by \(report.verification): \(differences.compactMap(\.self))")
        }
        if try folder.names() != ["file"] { record("left behind: \(try folder.names())") }
    }

    private func isPrefix(_ path: String, length: Int64) throws -> Bool {
        try [script.content, script.lastContent].contains {
            try length <= $0.length && $0.difference(fromFileAt: path, in: 0..<length) == nil
        }
    }

    /// A refusal says why, and nothing is at NAME.
    func check(_ error: DownloadError) throws {
        let allowed = script.failures(isRerun: !history.isEmpty)
        if !allowed.contains(error.kind) {
            let names = allowed.map(\.rawValue).sorted().joined(separator: ", ")
            record("failed as \(error.kind.rawValue), allowed is [\(names)]: \(error)")
        }
        if !error.message.hasSuffix(".") { record("no sentence: \(error.message)") }
        if try folder.names().contains("file") { record("NAME is there after a failure") }
    }

    /// What the journal calls finished is all of one version of the file.
    func checkHeld(_ contents: [PatternContent]) throws {
        guard let journal = JournalSnapshot(path: folder.path("file.segdl.journal")) else { return }
        let plan = SegmentPlan(length: journal.header.length, segmentSize: journal.header.segmentSize)
        let held = journal.bitmap.runs(of: true).map { plan.byteRange(ofSegments: $0) }
        let part = folder.path("file.segdl.part")
        let isOneVersion = try contents.contains { content in
            try held.allSatisfy {
                try $0.upperBound <= content.length && content.difference(fromFileAt: part, in: $0) == nil
            }
        }
        if !isOneVersion { record("the journal calls wrong bytes finished: \(held)") }
    }
}
