/// What one call of the harness measures, and how thoroughly.
struct Scope {
    let workplace: Workplace
    /// Runs of each contender; the medians count.
    let rounds: Int
    /// Small files and one round, to see that everything works.
    let isQuick: Bool

    var segdl: String { workplace.segdl }

    /// A length in full, or a sixteenth of it.
    func byteCount(_ full: Int64) -> Int64 { isQuick ? max(full / 16, .mebibyte) : full }
}
