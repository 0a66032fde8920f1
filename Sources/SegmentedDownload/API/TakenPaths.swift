internal import SegmentedDownloadLocking

/// The paths that the downloads of one list have taken, so that no two of them write to one file. Of each it remembers
/// a hash of 64 bits: in a list of 100,000 two paths are taken for one with a probability of 3 in 10 billion, and then
/// one is not fetched, and said to be.
public final class TakenPaths: Sendable {
    private let taken = Locked<Set<Int>>([])

    /// Nothing taken so far.
    public init() {}

    /// - Returns: Whether the path was free.
    package func take(_ path: String) -> Bool {
        taken.withLock { $0.insert(path.hashValue).inserted }
    }
}
