internal import SegmentedDownloadCore

/// The names that one file has in its folder while it is fetched.
package struct FileNames: Equatable, Sendable {
    /// Bytes that a name grows by at most: NAME_MAX counts them too.
    package static let longestSuffixByteCount = FileName.journalSuffix.utf8.count

    /// NAME: the final file.
    package let final: String

    /// Derives the names.
    ///
    /// - Parameter final: NAME, without a path.
    package init(final: String) {
        self.final = final
    }

    /// The part file.
    package var part: String { final + FileName.partSuffix }
    /// The journal.
    package var journal: String { final + FileName.journalSuffix }
    /// A journal that is being made.
    package var newJournal: String { final + FileName.newJournalSuffix }
}
