import SegmentedDownloadCore
import Testing

@Suite struct JournalHeaderTests {
    static let full = try? JournalHeader(
        id: .init(first: 0x0123_4567_89AB_CDEF, second: 0xFEDC_BA98_7654_3210),
        length: 1 << 41,
        segmentSize: 256 * KiB,
        strongETag: "\"5f3-äöü\"",
        lastModified: -1,
        mediaType: "application/x-iso9660-image",
        partFileInode: .max,
        urlHash: Array(100..<132),
        bootID: "12345678-1234-1234-1234-123456789abc"
    )
    static let bare = try? JournalHeader(
        id: .init(first: 1, second: 2),
        length: 1,
        segmentSize: 1,
        strongETag: nil,
        lastModified: nil,
        mediaType: nil,
        partFileInode: 0,
        urlHash: Array(repeating: 0, count: 32)
    )

    @Test(arguments: [full, bare])
    func `a header comes back as it went`(header: JournalHeader?) throws {
        let header = try #require(header)
        let page = header.encoded()
        #expect(page.count == 4096)
        #expect(try JournalHeader(decoding: page) == header)
    }

    @Test func `an empty text is not a missing one`() throws {
        let header = try header(etag: "", mediaType: "")
        #expect(try JournalHeader(decoding: header.encoded()) == header)
        #expect(header.strongETag == "")
    }

    @Test func `texts of the greatest length fit and longer ones are left out`() throws {
        let longest = try header(
            etag: String(repeating: "e", count: 2046),
            mediaType: String(repeating: "m", count: 254)
        )
        let decoded = try JournalHeader(decoding: longest.encoded())
        #expect(decoded == longest)
        #expect(decoded.strongETag?.utf8.count == 2046)
        #expect(decoded.mediaType?.utf8.count == 254)
        let tooLong = try header(
            etag: String(repeating: "e", count: 2047),
            mediaType: String(repeating: "m", count: 255)
        )
        #expect(tooLong.strongETag == nil)
        #expect(tooLong.mediaType == nil)
    }

    @Test(arguments: [full, bare])
    func `every flipped byte makes it unusable`(header: JournalHeader?) throws {
        let page = try #require(header).encoded()
        for index in page.indices {
            for mask: UInt8 in [0x01, 0x80, 0xFF] {
                var damaged = page
                damaged[index] ^= mask
                #expect(throws: JournalHeader.Problem.self) { try JournalHeader(decoding: damaged) }
            }
        }
    }

    @Test func `every truncation makes it unusable`() throws {
        let page = try #require(Self.full).encoded()
        for byteCount in page.indices {
            #expect(throws: JournalHeader.Problem(reason: "is too short")) {
                try JournalHeader(decoding: Array(page.prefix(byteCount)))
            }
        }
    }

    @Test(
        arguments: [
            (0, 1, "length"), (-1, 1, "length"), (.min, 1, "length"), (1, 0, "segment size"), (1, -1, "segment size"),
            (1, .min, "segment size"), (1, GiB + 1, "segment size"), (.max, 1, "length"), (.max, GiB, "length"),
            ((1 << 28) + 1, 1, "length"),
        ] as [(Int64, Int64, String)]
    )
    func `an absurd length or segment size is refused, also behind a right checksum`(
        length: Int64,
        segmentSize: Int64,
        what: String
    ) throws {
        let page = try #require(Self.bare).encoded().with(length, at: 32).with(segmentSize, at: 40).sealed()
        #expect(throws: JournalHeader.Problem(reason: "has an impossible \(what)")) {
            try JournalHeader(decoding: page)
        }
    }

    @Test func `the largest number of segments is accepted`() throws {
        let page = try #require(Self.bare).encoded().with(Int64(1) << 28, at: 32).sealed()
        #expect(try JournalHeader(decoding: page).segmentCount == 1 << 28)
    }

    @Test(arguments: [96, 160, 416], [UInt16(63), 255, 2047, .max])
    func `a text that claims too many bytes never reads past its field`(offset: Int, byteCount: UInt16) throws {
        let page = try #require(Self.full).encoded().with(byteCount, at: offset).sealed()
        if offset == 416 && byteCount < 2047 || offset == 160 && byteCount < 255 {
            _ = try JournalHeader(decoding: page)
        } else {
            #expect(throws: JournalHeader.Problem.self) { try JournalHeader(decoding: page) }
        }
    }

    @Test func `a text that is no UTF-8 makes it unusable`() throws {
        let page = try #require(Self.full).encoded().with(UInt8(0xFF), at: 418).sealed()
        #expect(throws: JournalHeader.Problem(reason: "holds a text that is none")) {
            try JournalHeader(decoding: page)
        }
    }

    @Test func `another format version is named as such`() throws {
        let page = try #require(Self.full).encoded().with(UInt32(2), at: 8).sealed()
        #expect(throws: JournalHeader.Problem(reason: "has a format of another version of segdl")) {
            try JournalHeader(decoding: page)
        }
    }

    @Test func `random bytes behind the magic and a right checksum never trap`() throws {
        var random = JournalTestRandom(state: 7)
        for _ in 0..<500 {
            var page = try #require(Self.full).encoded()
            for _ in 0..<Int.random(in: 1...40, using: &random) {
                page[Int.random(in: 12..<480, using: &random)] = .random(in: .min ... .max, using: &random)
            }
            _ = try? JournalHeader(decoding: page.sealed())
        }
    }

    private func header(etag: String?, mediaType: String?) throws -> JournalHeader {
        try JournalHeader(
            id: .init(first: 1, second: 2),
            length: 10,
            segmentSize: 3,
            strongETag: etag,
            lastModified: 0,
            mediaType: mediaType,
            partFileInode: 5,
            urlHash: Array(repeating: 9, count: 32)
        )
    }
}

/// SplitMix64: the same numbers in every run.
struct JournalTestRandom: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}

extension [UInt8] {
    /// The bytes with a little-endian number at an offset, encoded here once more: the tests don't trust the encoder.
    func with(_ number: some FixedWidthInteger, at offset: Int) -> [UInt8] {
        var bytes = self
        Swift.withUnsafeBytes(of: number.littleEndian) { raw in
            bytes.replaceSubrange(offset..<offset + raw.count, with: raw)
        }
        return bytes
    }

    /// The header with a right checksum.
    func sealed() -> [UInt8] {
        var checksum = CRC32()
        checksum.update(self[..<4092])
        return with(checksum.value, at: 4092)
    }
}
