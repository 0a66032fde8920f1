/// Where what stands in a journal file. `docs/journal-format.md` draws it.
///
/// Two slots of one block never share a page, since a disk may write its sectors of 4096 bytes torn, or not at all.
/// Eight blocks make a group: the first slots of all eight are one page, their second slots the next page.
package enum JournalLayout {
    /// Bytes of the header, and of everything that is written in one piece.
    package static let pageByteCount = 4096
    /// Bytes of one slot of one block.
    package static let slotByteCount = 512
    /// Bytes of a slot in front of its bits.
    package static let slotPrefixByteCount = 16
    /// Segments whose bits fit into a block: 62 words.
    package static let segmentsPerBlock = wordsPerBlock * 64
    /// Words of 64 bits in a block.
    package static let wordsPerBlock = (slotByteCount - slotPrefixByteCount) / 8
    /// Blocks in a group.
    package static let blocksPerGroup = pageByteCount / slotByteCount
    /// The most segments that a journal records: 16 TiB in segments of 64 KiB. It bounds what a journal that lies about
    /// its length can make the reader allocate (32 MiB).
    package static let maximumSegmentCount = 1 << 28

    /// The number of groups.
    ///
    /// - Parameter segmentCount: The number of segments, at most ``maximumSegmentCount``.
    /// - Returns: 0 or more.
    package static func groupCount(segmentCount: Int) -> Int {
        let segmentsPerGroup = segmentsPerBlock * blocksPerGroup
        return (segmentCount + segmentsPerGroup - 1) / segmentsPerGroup
    }

    /// The blocks of a group that stand for segments; the last group may have fewer than ``blocksPerGroup``.
    ///
    /// - Parameters:
    ///   - group: The group's number.
    ///   - segmentCount: The number of segments of the file.
    /// - Returns: Block numbers.
    package static func blocks(ofGroup group: Int, segmentCount: Int) -> Range<Int> {
        let blockCount = (segmentCount + segmentsPerBlock - 1) / segmentsPerBlock
        let first = group * blocksPerGroup
        return first..<max(first, min(first + blocksPerGroup, blockCount))
    }

    /// The group that holds a segment's bit.
    ///
    /// - Parameter segment: The segment's number.
    /// - Returns: The group's number.
    package static func group(ofSegment segment: Int) -> Int {
        segment / (segmentsPerBlock * blocksPerGroup)
    }

    /// The offset in the file of one of a group's two pages.
    ///
    /// - Parameters:
    ///   - copy: 0 for the page of the first slots, 1 for the page of the second.
    ///   - group: The group's number.
    /// - Returns: A multiple of ``pageByteCount``.
    package static func pageOffset(copy: Int, group: Int) -> Int64 {
        Int64(pageByteCount) * (1 + 2 * Int64(group) + Int64(copy))
    }

    /// The size in bytes of a whole journal file.
    ///
    /// - Parameter segmentCount: The number of segments, at most ``maximumSegmentCount``.
    /// - Returns: A multiple of ``pageByteCount``.
    package static func fileByteCount(segmentCount: Int) -> Int64 {
        pageOffset(copy: 0, group: groupCount(segmentCount: segmentCount))
    }
}
