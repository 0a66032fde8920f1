extension JournalHeader {
    /// 0x89 is no text in any encoding, and a transfer in text mode changes CR LF: both are found out at once (as in
    /// PNG, RFC 2083 §12.11).
    private static let magic: [UInt8] = [0x89, 0x53, 0x45, 0x47, 0x44, 0x4C, 0x0D, 0x0A]
    private static let formatVersion: UInt32 = 1

    /// Where each field stands. A string is two bytes of length and its UTF-8 bytes.
    private enum Offset {
        static let formatVersion = 8
        static let presence = 12
        static let id = 16
        static let length = 32
        static let segmentSize = 40
        static let lastModified = 48
        static let partFileInode = 56
        static let urlHash = 64
        static let bootID = 96
        static let mediaType = 160
        static let strongETag = 416
        static let checksum = 4092
    }

    /// Which of the fields that may be missing are there.
    private enum Presence {
        static let strongETag: UInt32 = 1
        static let lastModified: UInt32 = 2
        static let mediaType: UInt32 = 4
        static let bootID: UInt32 = 8
    }

    /// The header as its page of ``JournalLayout/pageByteCount`` bytes.
    package func encoded() -> [UInt8] {
        var page = [UInt8](repeating: 0, count: JournalLayout.pageByteCount)
        page.replaceSubrange(0..<Self.magic.count, with: Self.magic)
        page.setLittleEndian(Self.formatVersion, at: Offset.formatVersion)
        page.setLittleEndian(presence, at: Offset.presence)
        page.setLittleEndian(id.first, at: Offset.id)
        page.setLittleEndian(id.second, at: Offset.id + 8)
        page.setLittleEndian(length, at: Offset.length)
        page.setLittleEndian(segmentSize, at: Offset.segmentSize)
        page.setLittleEndian(lastModified ?? 0, at: Offset.lastModified)
        page.setLittleEndian(partFileInode, at: Offset.partFileInode)
        page.replaceSubrange(Offset.urlHash..<Offset.urlHash + 32, with: urlHash)
        page.setString(bootID, at: Offset.bootID)
        page.setString(mediaType, at: Offset.mediaType)
        page.setString(strongETag, at: Offset.strongETag)
        page.setLittleEndian(Self.checksum(of: page), at: Offset.checksum)
        return page
    }

    /// Reads a header from untrusted bytes.
    ///
    /// - Parameter page: The first ``JournalLayout/pageByteCount`` bytes of the file, or fewer where it is shorter.
    /// - Throws: Why it can't be used.
    package init(decoding page: [UInt8]) throws(Problem) {
        guard page.count == JournalLayout.pageByteCount else { throw Problem(reason: "is too short") }
        guard page.prefix(Self.magic.count).elementsEqual(Self.magic) else {
            throw Problem(reason: "is no journal of segdl")
        }
        // The checksum comes first: a version number that is damage must not read as a program that is too old.
        guard page.littleEndian(UInt32.self, at: Offset.checksum) == Self.checksum(of: page) else {
            throw Problem(reason: "has a wrong checksum")
        }
        guard page.littleEndian(UInt32.self, at: Offset.formatVersion) == Self.formatVersion else {
            throw Problem(reason: "has a format of another version of segdl")
        }
        let presence = page.littleEndian(UInt32.self, at: Offset.presence)
        func string(_ flag: UInt32, _ offset: Int, _ maximumByteCount: Int) throws(Problem) -> String? {
            presence & flag == 0 ? nil : try page.string(at: offset, maximumByteCount: maximumByteCount)
        }
        try self.init(
            id: ID(
                first: page.littleEndian(at: Offset.id),
                second: page.littleEndian(at: Offset.id + 8)
            ),
            length: page.littleEndian(at: Offset.length),
            segmentSize: page.littleEndian(at: Offset.segmentSize),
            strongETag: string(Presence.strongETag, Offset.strongETag, Self.maximumETagByteCount),
            lastModified: presence & Presence.lastModified == 0 ? nil : page.littleEndian(at: Offset.lastModified),
            mediaType: string(Presence.mediaType, Offset.mediaType, Self.maximumMediaTypeByteCount),
            partFileInode: page.littleEndian(at: Offset.partFileInode),
            urlHash: Array(page[Offset.urlHash..<Offset.urlHash + 32]),
            bootID: string(Presence.bootID, Offset.bootID, Self.maximumBootIDByteCount)
        )
    }

    private var presence: UInt32 {
        (strongETag == nil ? 0 : Presence.strongETag) | (lastModified == nil ? 0 : Presence.lastModified)
            | (mediaType == nil ? 0 : Presence.mediaType) | (bootID == nil ? 0 : Presence.bootID)
    }

    private static func checksum(of page: [UInt8]) -> UInt32 {
        var checksum = CRC32()
        checksum.update(page[..<Offset.checksum])
        return checksum.value
    }
}

extension Array where Element == UInt8 {
    fileprivate mutating func setString(_ string: String?, at offset: Int) {
        let bytes = Array((string ?? "").utf8)
        setLittleEndian(UInt16(bytes.count), at: offset)
        replaceSubrange(offset + 2..<offset + 2 + bytes.count, with: bytes)
    }

    fileprivate func string(
        at offset: Int,
        maximumByteCount: Int
    ) throws(JournalHeader.Problem) -> String {
        let byteCount = Int(littleEndian(UInt16.self, at: offset))
        guard byteCount <= maximumByteCount,
            let string = String(validating: self[offset + 2..<offset + 2 + byteCount], as: UTF8.self)
        else {
            throw JournalHeader.Problem(reason: "holds a text that is none")
        }
        return string
    }
}
