/// One slot of one bitmap block: generation, block number, checksum, and the bits of
/// ``JournalLayout/segmentsPerBlock`` segments.
struct JournalSlot: Equatable {
    private enum Offset {
        static let generation = 0
        static let block = 8
        static let checksum = 12
        static let words = JournalLayout.slotPrefixByteCount
    }

    /// Counts the writes of the block's group, from 1 on.
    let generation: UInt64
    private let words: [UInt64]

    /// A slot's ``JournalLayout/slotByteCount`` bytes.
    ///
    /// - Parameters:
    ///   - block: The block's number.
    ///   - generation: At least 1.
    ///   - id: The journal's id.
    ///   - bitmap: All bits of the file.
    /// - Returns: The bytes.
    static func encoded(block: Int, generation: UInt64, id: JournalHeader.ID, bitmap: SegmentBitmap) -> [UInt8] {
        var slot = [UInt8](repeating: 0, count: JournalLayout.slotByteCount)
        slot.setLittleEndian(generation, at: Offset.generation)
        slot.setLittleEndian(UInt32(block), at: Offset.block)
        let firstWord = block * JournalLayout.wordsPerBlock
        for (index, word) in bitmap.words.dropFirst(firstWord).prefix(JournalLayout.wordsPerBlock).enumerated() {
            slot.setLittleEndian(word, at: Offset.words + 8 * index)
        }
        slot.setLittleEndian(checksum(of: slot, id: id), at: Offset.checksum)
        return slot
    }

    /// Reads a slot from untrusted bytes; `nil` where anything about it is wrong.
    ///
    /// - Parameters:
    ///   - page: The page that holds it, possibly cut short.
    ///   - block: The block's number.
    ///   - id: The journal's id.
    ///   - bitmap: Tells which bits stand for segments.
    init?(decoding page: [UInt8], block: Int, id: JournalHeader.ID, bitmap: SegmentBitmap) {
        let start = block % JournalLayout.blocksPerGroup * JournalLayout.slotByteCount
        guard page.count >= start + JournalLayout.slotByteCount else { return nil }
        let slot = Array(page[start..<start + JournalLayout.slotByteCount])
        generation = slot.littleEndian(at: Offset.generation)
        words = (0..<JournalLayout.wordsPerBlock).map { slot.littleEndian(at: Offset.words + 8 * $0) }
        // Generation 0 is a page of zeros; one that no run of writes can reach would soon have no successor.
        guard generation > 0, generation < 1 << 63,
            slot.littleEndian(UInt32.self, at: Offset.block) == UInt32(block),
            slot.littleEndian(UInt32.self, at: Offset.checksum) == Self.checksum(of: slot, id: id)
        else {
            return nil
        }
        let firstWord = block * JournalLayout.wordsPerBlock
        guard words.indices.allSatisfy({ words[$0] & ~bitmap.segmentMask(ofWord: firstWord + $0) == 0 }) else {
            return nil
        }
    }

    /// Puts the slot's bits into a bitmap, in place of those that are there.
    ///
    /// - Parameters:
    ///   - bitmap: All bits of the file, of the same size as the one at decoding.
    ///   - block: The block's number.
    func copy(into bitmap: inout SegmentBitmap, block: Int) {
        let firstWord = block * JournalLayout.wordsPerBlock
        for index in words.indices where firstWord + index < bitmap.words.count {
            bitmap.replaceWord(firstWord + index, with: words[index])
        }
    }

    private static func checksum(of slot: [UInt8], id: JournalHeader.ID) -> UInt32 {
        var checksum = CRC32()
        checksum.update(id.bytes)
        checksum.update(slot[..<Offset.checksum])
        checksum.update(slot[Offset.words...])
        return checksum.value
    }
}
