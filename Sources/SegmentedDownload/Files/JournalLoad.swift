package import SegmentedDownloadCore

/// What ``Journal/load(in:names:partFile:)`` found.
package enum JournalLoad: Equatable, Sendable {
    /// No journal: the part file, if it holds anything, is worth nothing.
    case absent
    /// A journal that proves nothing about the part file.
    ///
    /// - reason: A full sentence without the remedy, for a note that says why everything begins anew.
    case unusable(reason: String)
    /// A journal whose set bits can be trusted, once ``JournalContents/needsSyncBeforeTrust`` is seen to.
    case usable(JournalContents)
}

/// A usable journal, read but not open.
package struct JournalContents: Equatable, Sendable {
    /// What the bits are segments of.
    package let header: JournalHeader
    /// The segments that are finished.
    package let bitmap: SegmentBitmap
    /// What was unreadable of the bits.
    package let damage: JournalDamage
    /// Whether a run without syncs set the bits, in this boot: they hold only once one ``PartFile/syncData()`` has
    /// succeeded, or as long as this run doesn't sync either. ``Journal/resume(_:in:names:partFile:syncs:)`` does it.
    package let needsSyncBeforeTrust: Bool
    let groups: [JournalGroup]
    let inode: UInt64
}
