import SegmentedDownload
import SegmentedDownloadTestSupport
import Testing

/// Runs of a download that are recorded, and the one that goes on after the power cut.
struct PowerCutScenario: Sendable, CustomTestStringConvertible {
    let name: String
    /// The recorded runs.
    let steps: [TortureStep]
    /// The run after the cut.
    let rerun: TortureStep
    /// Whether another file stands at NAME from the start.
    var hasPreciousFile = false
    /// Whether what was recorded counts for the rerun.
    var isResumed = true
    /// Whether all runs sync: else a cut may cost everything, once NAME is there even the file.
    var syncs = true

    var testDescription: String { name }

    /// The name of the file that the runs make.
    var finalName: String { name.hasPrefix("rename") ? "file.1" : "file" }

    static let all: [Self] = [
        Self(name: "fresh", steps: [TortureStep()], rerun: TortureStep()),
        Self(name: "resumed", steps: [TortureStep(answeredCount: 9), TortureStep()], rerun: TortureStep()),
        Self(
            name: "changed on the server",
            steps: [TortureStep(content: TortureStep.oldContent, answeredCount: 9), TortureStep()],
            rerun: TortureStep(),
            isResumed: false
        ),
        Self(
            name: "restarted",
            steps: [TortureStep(answeredCount: 9), TortureStep { $0.restarts = true }],
            rerun: TortureStep(),
            isResumed: false
        ),
        Self(
            name: "overwrite",
            steps: [TortureStep { $0.existing = .overwrite }],
            rerun: TortureStep { $0.existing = .overwrite },
            hasPreciousFile: true
        ),
        Self(
            name: "rename",
            steps: [TortureStep { $0.existing = .rename }],
            rerun: TortureStep { $0.existing = .rename },
            hasPreciousFile: true
        ),
        Self(
            name: "changed, and without ranges now",
            steps: [TortureStep(content: TortureStep.oldContent, answeredCount: 9), TortureStep(hasRanges: false)],
            rerun: TortureStep(),
            isResumed: false
        ),
        Self(
            name: "restarted, and without ranges now",
            steps: [TortureStep(answeredCount: 9), TortureStep(hasRanges: false) { $0.restarts = true }],
            rerun: TortureStep(),
            isResumed: false
        ),
        Self(
            name: "stream of unknown length",
            steps: [TortureStep(hasRanges: false, tellsLength: false)],
            rerun: TortureStep(hasRanges: false, tellsLength: false),
            isResumed: false
        ),
        Self(name: "small file of a list", steps: [.small], rerun: .small, isResumed: false),
        Self(
            name: "without syncs",
            steps: [TortureStep { $0.syncs = false }],
            rerun: TortureStep(),
            syncs: false
        ),
        Self(
            name: "resumed without syncs",
            steps: [TortureStep(answeredCount: 9), TortureStep { $0.syncs = false }],
            rerun: TortureStep { $0.syncs = false },
            syncs: false
        ),
        Self(
            name: "restarted without syncs",
            steps: [
                TortureStep(answeredCount: 9),
                TortureStep {
                    $0.restarts = true
                    $0.syncs = false
                },
            ],
            rerun: TortureStep(),
            isResumed: false,
            syncs: false
        ),
    ]
}
