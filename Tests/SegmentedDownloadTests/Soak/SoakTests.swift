import Foundation
import Testing

/// Random faults, each run drawn from its seed. `scripts/soak` runs more of them, or one again.
@Suite struct SoakTests {
    /// The seeds of an ordinary run, or those that `SEGDL_SOAK_SEEDS` gives as `FIRST-LAST`.
    private static let seeds: ClosedRange<UInt64> = {
        let text = ProcessInfo.processInfo.environment["SEGDL_SOAK_SEEDS"] ?? ""
        let ends = text.split(separator: "-").compactMap { UInt64($0) }
        if let first = ends.first, let last = ends.last, first <= last { return first...last }
        return 1...20
    }()

    @Test("A server with faults drawn from a seed gives the right file or a refusal that fits", arguments: seeds)
    func soak(seed: UInt64) throws {
        var run = try SoakRun(seed: seed)
        try run.run()
    }
}
