/// The names that one file has in its folder while it is fetched.
package struct FileNames: Equatable, Sendable {
    private static let partSuffix = ".segdl.part"
    private static let journalSuffix = ".segdl.journal"
    /// No longer than ``journalSuffix``: a name whose journal fits can't fail here with ENAMETOOLONG.
    private static let newJournalSuffix = ".segdl.jnew"

    /// Bytes that a name grows by at most: NAME_MAX counts them too.
    package static let longestSuffixByteCount = journalSuffix.utf8.count

    /// NAME: the final file.
    package let final: String

    /// Derives the names.
    ///
    /// - Parameter final: NAME, without a path.
    package init(final: String) {
        self.final = final
    }

    /// The part file.
    package var part: String { final + Self.partSuffix }
    /// The journal.
    package var journal: String { final + Self.journalSuffix }
    /// A journal that is being made.
    package var newJournal: String { final + Self.newJournalSuffix }
}
