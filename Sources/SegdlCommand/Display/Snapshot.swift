package import SegmentedDownload

/// One of the run's entries.
package struct Entry: Sendable {
    /// From 1.
    package var number: Int
    /// Whether the run may have others.
    package var isOneOfSeveral: Bool
    /// Its URL, redacted; empty where a list has none for it.
    package var url: String

    /// An entry.
    package init(number: Int, isOneOfSeveral: Bool, url: String) {
        self.number = number
        self.isOneOfSeveral = isOneOfSeveral
        self.url = url
    }
}

/// An entry that is being fetched.
package struct OpenEntry: Sendable {
    /// Its ``Entry/number``.
    package var number: Int
    /// Where its download stands; `nil` right after its beginning.
    package var progress: DownloadProgress?
    /// The time since it began.
    package var elapsed: Duration

    /// An entry under way.
    package init(number: Int, progress: DownloadProgress?, elapsed: Duration) {
        self.number = number
        self.progress = progress
        self.elapsed = elapsed
    }
}

/// All that a presenter looks at when it is asked for text: it never asks a clock, a terminal or a download itself.
package struct Snapshot: Sendable {
    /// The number of the entry that it is about. Where it is about the whole run, that of the only open one, else 0.
    package var number: Int
    /// Where that entry's download stands.
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
    /// What came of the entries so far.
    package var run: RunTally
    /// The time since the first entry began.
    package var runElapsed: Duration
    /// The entries under way, by their numbers.
    package var open: @Sendable () -> [OpenEntry]

    /// A snapshot.
    package init(
        number: Int,
        progress: DownloadProgress?,
        elapsed: Duration,
        unixTime: Double,
        width: Int,
        isDrawable: Bool,
        segmentMap: @escaping @Sendable (_ cellCount: Int) -> [Double],
        run: RunTally,
        runElapsed: Duration,
        open: @escaping @Sendable () -> [OpenEntry]
    ) {
        self.number = number
        self.progress = progress
        self.elapsed = elapsed
        self.unixTime = unixTime
        self.width = width
        self.isDrawable = isDrawable
        self.segmentMap = segmentMap
        self.run = run
        self.runElapsed = runElapsed
        self.open = open
    }
}
