import SegmentedDownloadCore
import SegmentedDownloadTestSupport

/// Damage to what a run has left in its folder.
enum StateDamage: CaseIterable, Sendable {
    case journalByteFlipped, journalZeroed, journalPieceZeroed, journalCut, journalExtended, journalEmpty
    case journalMissing, journalOfAnotherDownload, journalOfEarlier, olderSlot, randomJournal, lastGeneration
    case partShorter, partLonger, partEmpty, partMissing, partIsAnotherFile, newJournalLeft

    /// Whether less than before may be recorded without anyone being able to tell.
    var isSilent: Bool { [.journalOfEarlier, .olderSlot, .lastGeneration].contains(self) }

    /// Damages a state.
    ///
    /// - Parameters:
    ///   - state: What was left.
    ///   - earlier: What the same download had left earlier.
    ///   - foreign: What another download has left.
    ///   - random: Makes the choices.
    func apply(
        to state: inout FolderState,
        earlier: FolderState,
        foreign: FolderState,
        _ random: inout SeededRandom
    ) {
        let (journal, part) = ("file.segdl.journal", "file.segdl.part")
        var bytes = state.files[journal]?.bytes ?? []
        let place = Int.random(in: bytes.indices, using: &random)
        let end = Int.random(in: place..<bytes.count, using: &random)
        switch self {
        case .journalByteFlipped: bytes[place] ^= UInt8.random(in: 1...255, using: &random)
        case .journalZeroed: bytes = [UInt8](repeating: 0, count: bytes.count)
        case .journalPieceZeroed: for index in place...end { bytes[index] = 0 }
        case .journalCut: bytes.removeLast(bytes.count - place)
        case .journalExtended: bytes += (0...place).map { _ in UInt8.random(in: 0...255, using: &random) }
        case .journalEmpty: bytes = []
        case .journalMissing: state.files[journal] = nil
        case .journalOfAnotherDownload: bytes = foreign.files[journal]?.bytes ?? []
        case .journalOfEarlier: bytes = earlier.files[journal]?.bytes ?? []
        case .olderSlot:
            let older = earlier.files[journal]?.bytes ?? []
            let page = Int.random(in: 1...2, using: &random) * JournalLayout.pageByteCount
            let slot = page..<page + JournalLayout.slotByteCount
            bytes.replaceSubrange(slot, with: older[slot])
        case .randomJournal: bytes = bytes.map { _ in UInt8.random(in: 0...255, using: &random) }
        case .lastGeneration:
            guard let header = JournalSnapshot(bytes: bytes)?.header else { break }
            bytes.forge(generation: 1 << 63 - 1, inPage: Int.random(in: 1...2, using: &random), id: header.id)
        case .partShorter: state.files[part]?.bytes.removeLast(Int.random(in: 1...100_000, using: &random))
        case .partLonger: state.files[part]?.bytes += [UInt8](repeating: 7, count: 1 + place)
        case .partEmpty: state.files[part]?.bytes = []
        case .partMissing: state.files[part] = nil
        case .partIsAnotherFile:
            state.files[part] = foreign.files[part]
            // It came from another folder, where it may have had the number that is free again here.
            state.files[part]?.inode = 0
        case .newJournalLeft: state.files["file.segdl.jnew"] = .init(bytes: Array(bytes[..<place]), inode: 0)
        }
        if self != .journalMissing { state.files[journal]?.bytes = bytes }
    }
}
