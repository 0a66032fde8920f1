import Foundation

/// The long mode of `scripts/torture`.
enum Torture {
    private static let isLong = ProcessInfo.processInfo.environment["SEGDL_TORTURE"] == "long"

    /// How much is tried: `usual`, or `long` where `SEGDL_TORTURE=long`.
    static func count(_ usual: Int, long: Int) -> Int { isLong ? long : usual }

    /// Tells the script how many faults a test has tried; it adds up the lines of a kind.
    static func report(_ count: Int, _ kind: String) {
        if isLong { print("torture: \(count) \(kind)") }
    }
}
