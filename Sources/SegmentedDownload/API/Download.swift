import Dispatch
import Synchronization

/// A download under way, made by ``Session/start(_:onEvent:)``. All members may be called from any thread.
public final class Download: Sendable {
    /// A snapshot, cheap enough for a display's timer.
    public var progress: DownloadProgress { fatalError("skeleton") }

    /// How much of the file is finished, in equal cells from its start to its end, each 0 to 1. Empty where the
    /// length is unknown.
    ///
    /// - Parameter cellCount: The number of cells, at least 1.
    public func segmentMap(cellCount: Int) -> [Double] { fatalError("skeleton \(cellCount)") }

    /// Ends the download in order: connections are closed, what came is written, the journal is made safe.
    /// ``wait()`` then throws an error of the kind ``DownloadError/Kind/cancelled``.
    public func cancel() {}

    /// Blocks the calling thread until the download has ended.
    ///
    /// - Returns: How it ended.
    /// - Throws: Why it failed.
    public func wait() throws(DownloadError) -> DownloadReport { fatalError("skeleton") }

    /// As ``wait()``, without blocking a thread. Cancelling the task cancels the download.
    public func report() async throws(DownloadError) -> DownloadReport { fatalError("skeleton") }
}
