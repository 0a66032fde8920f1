package import SegmentedDownload

/// Makes text of what happens: pure, so that tests need neither terminal nor clock. Every function returns what is to
/// be written, often nothing. Which entry it is about stands in the snapshot.
package protocol Presenter: Sendable {
    /// How often ``tick(_:)`` is to be called; `nil` for never.
    var interval: Duration? { get }
    /// Whether the event changes any text, now or later: others are not even brought to ``handle(_:_:)``, since each
    /// wakes a thread. The same for as long as the presenter lives.
    func shows(_ event: DownloadEvent) -> Bool
    /// An entry's turn has come.
    mutating func begin(_ entry: Entry, _ snapshot: Snapshot) -> String
    /// Something happened.
    mutating func handle(_ event: DownloadEvent, _ snapshot: Snapshot) -> String
    /// The interval has passed, and some entry is open.
    mutating func tick(_ snapshot: Snapshot) -> String
    /// The entry ended well.
    mutating func finish(_ report: DownloadReport, _ snapshot: Snapshot) -> String
    /// The entry, or the run before its first, ended badly.
    mutating func fail(_ failure: Failure, _ snapshot: Snapshot) -> String
    /// A signal ended the run; its kind is `cancelled`, its message says how to go on.
    mutating func stop(_ failure: Failure, _ snapshot: Snapshot) -> String
    /// A run that may have several entries is at its end.
    mutating func summarise(_ snapshot: Snapshot) -> String
}
