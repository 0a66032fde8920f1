/// One group of up to eight bitmap blocks: two pages, of which the older is overwritten.
///
/// A page is always written whole, with the slots of all its blocks. A write that a power cut tears can then damage
/// only what it was adding: the other page holds everything up to the write before.
package struct JournalGroup: Equatable, Sendable {
    /// The group's number.
    package let number: Int
    /// The generation of the newest page, 0 where no slot is valid.
    package private(set) var generation: UInt64
    /// The page, 0 or 1, that the next write goes to: the one without the newest valid slot.
    package private(set) var olderCopy: Int

    /// A group that was never written.
    ///
    /// - Parameter number: The group's number.
    package init(number: Int) {
        self.number = number
        generation = 0
        olderCopy = 0
    }

    /// Whether the generations have been counted so far up that they might come to their end, 2^63 - 1. No run of
    /// writes gets there, but a journal that was forged may begin there: it is then written anew as a whole, from
    /// generation 1 on.
    package var isNearItsLastGeneration: Bool { generation >= 1 << 62 }

    /// The next page to write: its offset in the file and its ``JournalLayout/pageByteCount`` bytes. From here on that
    /// page counts as the newest, whether its write succeeds or not.
    ///
    /// - Parameters:
    ///   - id: The journal's id.
    ///   - bitmap: All bits of the file.
    /// - Returns: Where the page goes, and its bytes.
    package mutating func nextPage(
        id: JournalHeader.ID,
        bitmap: SegmentBitmap
    ) -> (offset: Int64, bytes: [UInt8]) {
        generation += 1
        let copy = olderCopy
        olderCopy = 1 - copy
        var page: [UInt8] = []
        page.reserveCapacity(JournalLayout.pageByteCount)
        for block in JournalLayout.blocks(ofGroup: number, segmentCount: bitmap.count) {
            page += JournalSlot.encoded(block: block, generation: generation, id: id, bitmap: bitmap)
        }
        page += [UInt8](repeating: 0, count: JournalLayout.pageByteCount - page.count)
        return (JournalLayout.pageOffset(copy: copy, group: number), page)
    }

    /// Reads a group from untrusted bytes, and adds the newest valid slot of each block to a bitmap.
    ///
    /// - Parameters:
    ///   - number: The group's number.
    ///   - pages: Its two pages, each with ``JournalLayout/pageByteCount`` bytes, or fewer where the file is shorter.
    ///   - id: The journal's id.
    ///   - bitmap: Its bits of this group are all zero; they stay so for a block without a valid slot.
    ///   - damage: Goes up by what is not valid.
    package init(
        number: Int,
        decoding pages: (first: [UInt8], second: [UInt8]),
        id: JournalHeader.ID,
        into bitmap: inout SegmentBitmap,
        damage: inout JournalDamage
    ) {
        self.init(number: number)
        for block in JournalLayout.blocks(ofGroup: number, segmentCount: bitmap.count) {
            let slots = [pages.first, pages.second].map { page in
                JournalSlot(decoding: page, block: block, id: id, bitmap: bitmap)
            }
            guard let newest = slots.compactMap(\.self).max(by: { $0.generation < $1.generation }) else {
                damage.lostBlockCount += 1
                continue
            }
            if slots.contains(nil) { damage.damagedSlotCount += 1 }
            newest.copy(into: &bitmap, block: block)
            if newest.generation > generation {
                generation = newest.generation
                olderCopy = newest == slots[0] ? 1 : 0
            }
        }
    }
}
