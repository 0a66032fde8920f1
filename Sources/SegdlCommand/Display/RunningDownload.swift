package import SegmentedDownload

/// What the command needs of a ``Download``; tests make their own.
package struct RunningDownload: Sendable {
    /// See ``Download/progress``.
    package var progress: @Sendable () -> DownloadProgress
    /// See ``Download/segmentMap(cellCount:)``.
    package var segmentMap: @Sendable (_ cellCount: Int) -> [Double]
    /// See ``Download/cancel()``.
    package var cancel: @Sendable () -> Void
    /// See ``Download/wait()``.
    package var wait: @Sendable () throws(DownloadError) -> DownloadReport

    /// A download made of its parts.
    package init(
        progress: @escaping @Sendable () -> DownloadProgress,
        segmentMap: @escaping @Sendable (_ cellCount: Int) -> [Double],
        cancel: @escaping @Sendable () -> Void,
        wait: @escaping @Sendable () throws(DownloadError) -> DownloadReport
    ) {
        self.progress = progress
        self.segmentMap = segmentMap
        self.cancel = cancel
        self.wait = wait
    }

    /// A download of the library.
    package init(_ download: Download) {
        self.init(
            progress: { download.progress },
            segmentMap: { download.segmentMap(cellCount: $0) },
            cancel: { download.cancel() },
            wait: { () throws(DownloadError) in try download.wait() }
        )
    }
}
