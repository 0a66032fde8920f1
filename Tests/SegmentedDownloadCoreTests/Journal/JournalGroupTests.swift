import SegmentedDownloadCore
import Testing

@Suite struct JournalGroupTests {
    static let id = JournalHeader.ID(first: 11, second: 22)

    @Test(arguments: [1, 63, 64, 65, 3967, 3968, 3969, 8 * 3968, 8 * 3968 + 1, 17 * 3968])
    func `bits come back as they went`(count: Int) {
        var random = JournalTestRandom(state: UInt64(count))
        var file = JournalFile(count: count)
        for _ in 0..<4 {
            file.finish(Int.random(in: 0..<count, using: &random))
            let read = file.read()
            #expect(read.bitmap == file.bitmap)
            #expect(read.damage.lostBlockCount == 0)
        }
        #expect(file.pages.count == 2 * JournalLayout.groupCount(segmentCount: count))
        #expect(JournalLayout.fileByteCount(segmentCount: count) == Int64(4096 * (1 + file.pages.count)))
    }

    @Test func `a write goes to the older page and leaves the newer one as it is`() {
        var file = JournalFile(count: 100)
        for segment in 0..<6 {
            let before = file.pages
            file.finish(segment)
            let changed = (0..<2).filter { before[$0] != file.pages[$0] }
            #expect(changed == [segment % 2])
        }
    }

    @Test func `what the reader found goes on where the writer stopped`() throws {
        var file = JournalFile(count: 100)
        for segment in 0..<5 { file.finish(segment) }
        let group = try #require(file.read().groups.first)
        #expect(group == file.groups[0])
        #expect(group.generation == 7)
    }

    @Test func `where the newer slot is damaged the older one counts`() {
        var file = JournalFile(count: 100)
        file.finish(3)
        let before = file.bitmap
        file.finish(4)
        file.pages[1][100] ^= 1
        let read = file.read()
        #expect(read.bitmap == before)
        #expect(read.damage.lostBlockCount == 0)
        #expect(read.groups.first?.olderCopy == 1)
    }

    @Test func `the generation decides, not the place`() {
        var file = JournalFile(count: 100)
        file.finish(3)
        file.pages.swapAt(0, 1)
        #expect(file.read().bitmap == file.bitmap)
    }

    @Test func `one damaged block of a group loses only its own segments`() {
        let count = 8 * 3968
        var file = JournalFile(count: count)
        for block in 0..<8 { file.finish(block * 3968) }
        for page in 0..<2 { file.pages[page][3 * 512 + 40] ^= 0x10 }
        let read = file.read()
        var expected = file.bitmap
        expected[3 * 3968] = false
        #expect(read.bitmap == expected)
        #expect(read.damage.lostBlockCount == 1)
    }

    @Test func `slots of another journal or of another block never count`() {
        var file = JournalFile(count: 2 * 3968)
        file.finish(0)
        #expect(file.read(id: .init(first: 11, second: 23)).damage.lostBlockCount == 2)
        let pages = file.pages
        for page in 0..<2 {
            file.pages[page].replaceSubrange(512..<1024, with: pages[page][0..<512])
        }
        let read = file.read()
        #expect(read.bitmap == file.bitmap)
        #expect(read.damage.lostBlockCount == 1)
    }

    @Test func `a bit behind the last segment spoils its slot, also behind a right checksum`() {
        var larger = JournalFile(count: 65)
        larger.finish(64)
        var file = JournalFile(count: 64)
        file.pages = larger.pages
        let read = file.read()
        #expect(read.bitmap.finishedCount == 0)
        // The slot before it, of generation 2, has no bit at all.
        #expect(read.groups.first?.generation == 2)
    }

    @Test(arguments: [UInt64(0), 1 << 63, .max])
    func `a generation that no writer reaches spoils its slot`(generation: UInt64) {
        var file = JournalFile(count: 10)
        file.finish(1)
        file.pages[0] = file.pages[0].with(generation, at: 0).slotSealed(id: Self.id)
        #expect(file.read().groups.first?.generation == 2)
    }

    /// Exhaustive: each byte of both slots, three kinds of damage.
    @Test func `no flipped byte ever sets a bit`() {
        var file = JournalFile(count: 200)
        for segment in [0, 5, 63, 64, 199] { file.finish(segment) }
        for page in 0..<2 {
            for index in 0..<512 {
                for mask: UInt8 in [0x01, 0x80, 0xFF] {
                    var damaged = file
                    damaged.pages[page][index] ^= mask
                    // One bad slot is never more than one write lost.
                    #expect(expectNoFalseBit(damaged).finishedCount >= file.bitmap.finishedCount - 1)
                }
            }
        }
    }

    @Test func `no truncation ever sets a bit`() {
        var file = JournalFile(count: 200)
        for segment in [0, 5, 63, 64, 199] { file.finish(segment) }
        for byteCount in stride(from: 0, to: 4096, by: 7) {
            for page in 0..<2 {
                var damaged = file
                damaged.pages[page] = Array(file.pages[page].prefix(byteCount))
                expectNoFalseBit(damaged)
            }
        }
    }

    @Test(arguments: 0..<40)
    func `random damage never sets a bit, and the journal can be written on`(seed: Int) {
        var random = JournalTestRandom(state: UInt64(seed))
        let count = Int.random(in: 1...40_000, using: &random)
        var file = JournalFile(count: count)
        for _ in 0..<5 { file.finish(Int.random(in: 0..<count, using: &random)) }
        for _ in 0..<Int.random(in: 1...10, using: &random) {
            let page = Int.random(in: 0..<file.pages.count, using: &random)
            let start = Int.random(in: 0..<4096, using: &random)
            let end = Int.random(in: start...4096, using: &random)
            let filling: UInt8? = Bool.random(using: &random) ? 0 : nil
            for index in start..<end {
                file.pages[page][index] = filling ?? .random(in: .min ... .max, using: &random)
            }
        }
        expectNoFalseBit(file)
        let read = file.read()
        file.bitmap = read.bitmap
        file.groups = read.groups
        file.finish(count - 1)
        #expect(file.read().bitmap[count - 1])
        expectNoFalseBit(file)
    }

    @discardableResult
    private func expectNoFalseBit(_ file: JournalFile) -> SegmentBitmap {
        let read = file.read().bitmap
        for (word, truth) in zip(read.words, file.bitmap.words) {
            #expect(word & ~truth == 0)
        }
        return read
    }
}

/// The bitmap part of a journal file in memory, written as `Journal` writes it.
private struct JournalFile {
    var bitmap: SegmentBitmap
    var groups: [JournalGroup]
    var pages: [[UInt8]]

    init(count: Int) {
        bitmap = SegmentBitmap(count: count)
        groups = (0..<JournalLayout.groupCount(segmentCount: count)).map { JournalGroup(number: $0) }
        pages = []
        for number in groups.indices {
            for _ in 0..<2 { pages.append(groups[number].nextPage(id: JournalGroupTests.id, bitmap: bitmap).bytes) }
        }
    }

    mutating func finish(_ segment: Int) {
        bitmap[segment] = true
        let number = JournalLayout.group(ofSegment: segment)
        let page = groups[number].nextPage(id: JournalGroupTests.id, bitmap: bitmap)
        pages[Int(page.offset / 4096) - 1] = page.bytes
    }

    func read(
        id: JournalHeader.ID = JournalGroupTests.id
    ) -> (bitmap: SegmentBitmap, groups: [JournalGroup], damage: JournalDamage) {
        var bitmap = SegmentBitmap(count: bitmap.count)
        var damage = JournalDamage()
        let groups = self.groups.indices.map { number in
            JournalGroup(
                number: number,
                decoding: (first: pages[2 * number], second: pages[2 * number + 1]),
                id: id,
                into: &bitmap,
                damage: &damage
            )
        }
        return (bitmap, groups, damage)
    }
}

extension [UInt8] {
    /// The page with a right checksum in its first slot.
    fileprivate func slotSealed(id: JournalHeader.ID) -> [UInt8] {
        var checksum = CRC32()
        checksum.update(id.bytes)
        checksum.update(self[..<12])
        checksum.update(self[16..<512])
        return with(checksum.value, at: 12)
    }
}
