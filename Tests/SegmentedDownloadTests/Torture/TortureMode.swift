import Foundation
import SegmentedDownloadTestSupport

/// How much is tried: a sample in the ordinary tests, everything with `SEGDL_TORTURE=long`.
enum TortureMode {
    private static let environment = ProcessInfo.processInfo.environment

    /// Whether everything is tried.
    static let isLong = environment["SEGDL_TORTURE"] == "long"

    /// Every so many calls one is failed.
    static let callSteps = isLong ? 1...1 : Sanitizer.isActive ? 1...40 : 1...8

    /// What random choices are made from: `SEGDL_TORTURE_SEED`.
    static let seed = environment["SEGDL_TORTURE_SEED"].flatMap(UInt64.init) ?? 1

    /// Whether a scenario is wanted: `SEGDL_TORTURE_SCENARIO` names one, all others are left out.
    static func picks(_ name: String) -> Bool {
        environment["SEGDL_TORTURE_SCENARIO"].map { $0 == name } ?? true
    }

    /// Tells `scripts/torture` how many faults were tried; it adds up the lines of a kind.
    static func report(_ count: Int, _ kind: String) {
        if isLong { print("torture: \(count) \(kind)") }
    }

    /// How many random cases are tried in all: `SEGDL_TORTURE_COUNT`, or the defaults. Under a sanitizer, which takes
    /// ten times as long and looks for something else, a fifth.
    static func count(short: Int, long: Int) -> Int {
        environment["SEGDL_TORTURE_COUNT"].flatMap(Int.init) ?? (isLong ? long : Sanitizer.isActive ? short / 5 : short)
    }
}
