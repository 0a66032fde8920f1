import Foundation

/// How much the torture tests try: a sample with the ordinary tests, more of it in CI, everything in `scripts/torture`.
package enum TortureMode: String, Sendable {
    case usual, quick, long

    private static let environment = ProcessInfo.processInfo.environment

    /// `SEGDL_TORTURE`.
    package static let current = environment["SEGDL_TORTURE"].flatMap(Self.init) ?? .usual

    /// Every so many calls one is failed.
    package static let callSteps = current != .usual ? 1...1 : Sanitizer.isActive ? 1...40 : 1...8

    /// What random choices are made from: `SEGDL_TORTURE_SEED`.
    package static let seed = environment["SEGDL_TORTURE_SEED"].flatMap(UInt64.init) ?? 1

    /// Whether a scenario is wanted: `SEGDL_TORTURE_SCENARIO` names one, all others are left out.
    package static func picks(_ name: String) -> Bool {
        environment["SEGDL_TORTURE_SCENARIO"].map { $0 == name } ?? true
    }

    /// Tells `scripts/torture` how many faults were tried; it adds up the lines of a kind.
    package static func report(_ count: Int, _ kind: String) {
        if current != .usual { print("torture: \(count) \(kind)") }
    }

    /// How much is tried; a third of everything in CI.
    package static func count(_ usual: Int, long: Int) -> Int {
        switch current {
        case .usual: usual
        case .quick: max(usual, long / 3)
        case .long: long
        }
    }

    /// How many random cases are tried in all: `SEGDL_TORTURE_COUNT`, or as ``count(_:long:)``. Under a sanitizer, which
    /// takes ten times as long and looks for something else, a fifth.
    package static func randomCount(_ usual: Int, long: Int) -> Int {
        environment["SEGDL_TORTURE_COUNT"].flatMap(Int.init)
            ?? count(Sanitizer.isActive ? usual / 5 : usual, long: long)
    }
}
