package import SegmentedDownload

/// The URL that is being fetched, among all those of the run.
package struct Entry: Sendable {
    /// From 1.
    package var number: Int
    /// How many the run has.
    package var count: Int
    /// Its URL, redacted.
    package var url: String

    /// An entry.
    package init(number: Int, count: Int, url: String) {
        self.number = number
        self.count = count
        self.url = url
    }
}

/// All that a presenter looks at when it is asked for text: it never asks a clock, a terminal or a download itself.
package struct Snapshot: Sendable {
    /// Where the download stands.
    package var progress: DownloadProgress?
    /// The time since the entry began, by a clock that is never set.
    package var elapsed: Duration
    /// Seconds since 1970.
    package var unixTime: Double
    /// The columns of a line.
    package var width: Int
    /// Whether a bar may be drawn now.
    package var isDrawable: Bool
    /// See ``Download/segmentMap(cellCount:)``.
    package var segmentMap: @Sendable (_ cellCount: Int) -> [Double]

    /// A snapshot.
    package init(
        progress: DownloadProgress?,
        elapsed: Duration,
        unixTime: Double,
        width: Int,
        isDrawable: Bool,
        segmentMap: @escaping @Sendable (_ cellCount: Int) -> [Double]
    ) {
        self.progress = progress
        self.elapsed = elapsed
        self.unixTime = unixTime
        self.width = width
        self.isDrawable = isDrawable
        self.segmentMap = segmentMap
    }
}

/// How an entry ended badly.
package struct Failure: Sendable {
    /// Why.
    package var error: DownloadError
    /// The exit status that it means.
    package var status: Int32

    /// A failure.
    package init(error: DownloadError, status: Int32) {
        self.error = error
        self.status = status
    }
}
