/// A parser of untrusted bytes, and what must hold of whatever it makes of them. Its seeds are in `Fuzz/seeds/NAME`.
struct FuzzTarget: Sendable {
    /// What `scripts/check fuzz` and the folder of its seeds call it.
    let name: String
    /// Parses an input; ends the process where something does not hold.
    let run: @Sendable (_ input: [UInt8]) -> Void

    /// Set before libFuzzer starts, which runs everything on the main thread.
    nonisolated(unsafe) static var selected: FuzzTarget?

    static let all: [FuzzTarget] = [
        contentRange, disposition, entityTag, fileName, journalHeader, journalPages, list, response, retryAfter, url,
    ]
}

/// Ends the process with a sentence, which libFuzzer takes for a crash.
func require(_ holds: Bool, _ sentence: @autoclosure () -> String) {
    if !holds { fatalError(sentence()) }
}

extension [UInt8] {
    /// The input's lines, so that one file can hold several texts; the last one is all that is left.
    func lines(_ count: Int) -> [[UInt8]] {
        let parts = split(separator: UInt8(ascii: "\n"), maxSplits: count - 1, omittingEmptySubsequences: false)
        return parts.map { [UInt8]($0) } + [[UInt8]](repeating: [], count: count - parts.count)
    }
}
