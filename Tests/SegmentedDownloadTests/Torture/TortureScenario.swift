import Foundation
import SegmentedDownload
import SegmentedDownloadTestSupport
import Testing

/// A download that is tortured.
struct TortureScenario: Sendable, CustomTestStringConvertible {
    let name: String
    /// The run in which a call fails, and the one afterwards in which none does.
    let step: TortureStep
    /// The run before it, which is not tortured.
    var preparation: TortureStep?
    /// Whether what the run before recorded is never fetched again, unless a disk error costs it.
    var keepsRecord = false
    /// What stands at NAME before.
    var existing: PatternContent?
    /// The name that the download gets.
    var finalName = "file"
    /// What the file system can't do, and says so with this error.
    var lacks: [SystemCall.Name: Int32] = [:]
    /// Whether the folder is made, too.
    var makesFolder = false

    var testDescription: String { name }

    static let all: [Self] = [
        Self(name: "fresh", step: TortureStep()),
        Self(name: "fresh, without syncs", step: TortureStep { $0.syncs = false }),
        Self(
            name: "resumed",
            step: TortureStep(),
            preparation: TortureStep(answeredCount: 12),
            keepsRecord: true
        ),
        Self(
            name: "resumed, without syncs",
            step: TortureStep { $0.syncs = false },
            preparation: TortureStep(answeredCount: 12),
            keepsRecord: true
        ),
        Self(
            name: "resumed after a run without syncs",
            step: TortureStep(),
            preparation: TortureStep(answeredCount: 12) { $0.syncs = false }
        ),
        Self(
            name: "another version",
            step: TortureStep(),
            preparation: TortureStep(content: TortureStep.oldContent, answeredCount: 12)
        ),
        Self(
            name: "--restart",
            step: TortureStep { $0.restarts = true },
            preparation: TortureStep(answeredCount: 12)
        ),
        Self(
            name: "--overwrite",
            step: TortureStep { $0.existing = .overwrite },
            existing: TortureStep.precious
        ),
        Self(
            name: "--exists rename",
            step: TortureStep { $0.existing = .rename },
            existing: TortureStep.precious,
            finalName: "file.1"
        ),
        Self(name: "--exists check", step: TortureStep(), existing: TortureStep.content),
        Self(name: "stream of known length", step: TortureStep(hasRanges: false)),
        Self(name: "stream of unknown length", step: TortureStep(hasRanges: false, tellsLength: false)),
        Self(
            name: "stream over held bytes",
            step: TortureStep(hasRanges: false),
            preparation: TortureStep(answeredCount: 12),
            keepsRecord: true
        ),
        Self(
            name: "resumed, with --checksum",
            step: TortureStep { $0.checksum = TortureStep.checksum },
            preparation: TortureStep(answeredCount: 12),
            keepsRecord: true
        ),
        Self(name: "--remote-time", step: TortureStep { $0.usesRemoteTime = true }),
        Self(name: "--directory that is not there", step: TortureStep(), makesFolder: true),
        Self(
            name: "without preallocation, write-back and renameat2",
            step: TortureStep(),
            lacks: [.fallocate: EOPNOTSUPP, .startWriteBack: ENOSYS, .renameNoReplace: EINVAL]
        ),
        Self(
            name: "without locks and links",
            step: TortureStep(),
            lacks: [.flock: ENOLCK, .renameNoReplace: EINVAL, .linkat: EPERM]
        ),
        Self(name: "one segment", step: TortureStep(content: PatternContent(seed: 24, length: 50_000))),
        Self(name: "small file of a list", step: .small),
        Self(name: "no bytes", step: TortureStep(content: PatternContent(seed: 24, length: 0))),
    ]
}
