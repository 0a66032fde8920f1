package import SegmentedDownload

/// What the command needs of a ``Download``; tests make their own.
package struct RunningDownload: Sendable {
    /// How a download ended.
    package typealias Outcome = Result<DownloadReport, DownloadError>

    /// See ``Download/progress``.
    package var progress: @Sendable () -> DownloadProgress
    /// See ``Download/segmentMap(cellCount:)``.
    package var segmentMap: @Sendable (_ cellCount: Int) -> [Double]
    /// See ``Download/whenEnded(_:)``.
    package var whenEnded: @Sendable (_ body: @escaping @Sendable (Outcome) -> Void) -> Void

    /// A download made of its parts.
    package init(
        progress: @escaping @Sendable () -> DownloadProgress,
        segmentMap: @escaping @Sendable (_ cellCount: Int) -> [Double],
        whenEnded: @escaping @Sendable (_ body: @escaping @Sendable (Outcome) -> Void) -> Void
    ) {
        self.progress = progress
        self.segmentMap = segmentMap
        self.whenEnded = whenEnded
    }

    /// A download of the library.
    package init(_ download: Download) {
        self.init(
            progress: { download.progress },
            segmentMap: { download.segmentMap(cellCount: $0) },
            whenEnded: { download.whenEnded($0) }
        )
    }
}

/// What the command needs of a ``Session``; tests make their own.
package struct RunningSession: Sendable {
    /// See ``Session/start(_:onEvent:)``.
    package var start:
        @Sendable (
            _ request: DownloadRequest,
            _ onEvent: @escaping @Sendable (DownloadEvent) -> Void
        ) -> RunningDownload
    /// See ``Session/waitForRoom()``.
    package var waitForRoom: @Sendable () -> Bool
    /// See ``Session/cancel()``.
    package var cancel: @Sendable () -> Void

    /// A session made of its parts.
    package init(
        start:
            @escaping @Sendable (
                _ request: DownloadRequest,
                _ onEvent: @escaping @Sendable (DownloadEvent) -> Void
            ) -> RunningDownload,
        waitForRoom: @escaping @Sendable () -> Bool,
        cancel: @escaping @Sendable () -> Void
    ) {
        self.start = start
        self.waitForRoom = waitForRoom
        self.cancel = cancel
    }

    /// A session of the library.
    package init(_ session: Session) {
        self.init(
            start: { request, onEvent in RunningDownload(session.start(request, onEvent: onEvent)) },
            waitForRoom: { session.waitForRoom() },
            cancel: { session.cancel() }
        )
    }
}
