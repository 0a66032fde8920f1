import SegmentedDownloadCore

// Journals: not from the network, but from a disk that may hold anything.
extension FuzzTarget {
    /// A header's page; the first byte says whether its checksum is put right, without which the decoder stops there.
    static let journalHeader = FuzzTarget(name: "journal-header") { input in
        var page = Array(input.dropFirst())
        if input.first == UInt8(ascii: "c"), page.count <= 4092 {
            page += [UInt8](repeating: 0, count: 4092 - page.count)
            page += littleEndian(checksum([page[...]]))
        }
        guard let header = try? JournalHeader(decoding: page) else { return }
        require((1...JournalLayout.maximumSegmentCount).contains(header.segmentCount), "an impossible segment count")
        require(header.length > 0 && header.segmentSize > 0, "an empty file")
        guard let again = try? JournalHeader(decoding: header.encoded()) else {
            fatalError("a header that can't be written again")
        }
        require(again == header, "another header when written again")
    }

    /// Two bytes of the number of segments, one that says whether checksums are put right, then two pages.
    static let journalPages = FuzzTarget(name: "journal-pages") { input in
        guard input.count > 3 else { return }
        let count = 1 + Int(input[0]) + Int(input[1]) << 8
        let id = JournalHeader.ID(first: 1, second: 2)
        let rest = Array(input.dropFirst(3))
        var pages = (first: Array(rest.prefix(rest.count / 2)), second: Array(rest.dropFirst(rest.count / 2)))
        if input[2] == UInt8(ascii: "c") { pages = (repaired(pages.first, id), repaired(pages.second, id)) }
        var bitmap = SegmentBitmap(count: count)
        var damage = JournalDamage()
        let group = JournalGroup(number: 0, decoding: pages, id: id, into: &bitmap, damage: &damage)
        let blocks = JournalLayout.blocks(ofGroup: 0, segmentCount: count)
        let damagedCount = damage.lostBlockCount + damage.damagedSlotCount
        require((0...blocks.count).contains(damagedCount), "\(damagedCount) damaged blocks of \(blocks.count)")
        let counted = bitmap.words.reduce(0) { $0 + $1.nonzeroBitCount }
        require(bitmap.finishedCount == counted && counted <= count, "\(counted) finished of \(count)")
        require(damage.lostBlockCount < blocks.count || counted == 0, "bits out of nothing")
        require([0, 1].contains(group.olderCopy), "copy \(group.olderCopy)")
        // The next write must win over what was read; a forged journal that leaves no room for it is written anew.
        guard !group.isNearItsLastGeneration else { return }
        var next = group
        let page = next.nextPage(id: id, bitmap: bitmap)
        if page.offset == JournalLayout.pageOffset(copy: 0, group: 0) { pages.first = page.bytes }
        if page.offset == JournalLayout.pageOffset(copy: 1, group: 0) { pages.second = page.bytes }
        var again = SegmentBitmap(count: count)
        damage = JournalDamage()
        let read = JournalGroup(number: 0, decoding: pages, id: id, into: &again, damage: &damage)
        require(again == bitmap && damage.lostBlockCount == 0 && read == next, "a page that does not win")
    }

    /// A page whose slots have the checksums of what they hold.
    private static func repaired(_ page: [UInt8], _ id: JournalHeader.ID) -> [UInt8] {
        var page = page
        for start in stride(from: 0, to: page.count - JournalLayout.slotByteCount + 1, by: JournalLayout.slotByteCount)
        {
            let end = start + JournalLayout.slotByteCount
            let sum = checksum([id.bytes[...], page[start..<start + 12], page[start + 16..<end]])
            page.replaceSubrange(start + 12..<start + 16, with: littleEndian(sum))
        }
        return page
    }

    private static func checksum(_ parts: [ArraySlice<UInt8>]) -> UInt32 {
        var checksum = CRC32()
        for part in parts { checksum.update(part) }
        return checksum.value
    }

    private static func littleEndian(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
