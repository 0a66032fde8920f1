import SegmentedDownloadCore

extension [UInt8] {
    /// Gives the first slot of a page of a journal another generation, with the checksum that goes with it.
    mutating func forge(generation: UInt64, inPage page: Int, id: JournalHeader.ID) {
        let start = page * JournalLayout.pageByteCount
        for index in 0..<8 { self[start + index] = UInt8(truncatingIfNeeded: generation >> (8 * UInt64(index))) }
        var checksum = CRC32()
        checksum.update(id.bytes)
        checksum.update(self[start..<start + 12])
        checksum.update(self[start + 16..<start + JournalLayout.slotByteCount])
        for index in 0..<4 { self[start + 12 + index] = UInt8(truncatingIfNeeded: checksum.value >> (8 * index)) }
    }
}
