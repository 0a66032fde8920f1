/// What a journal's bits are segments of, and which part file they belong to.
package struct JournalHeader: Equatable, Sendable {
    /// The journal's random name. Every slot's checksum covers it, so that a slot of an older journal, whose disk
    /// blocks the file system handed out again, never counts.
    package struct ID: Equatable, Sendable {
        /// The first 8 bytes, little-endian.
        package var first: UInt64
        /// The last 8 bytes, little-endian.
        package var second: UInt64

        /// Makes an id of 128 random bits.
        package init(first: UInt64, second: UInt64) {
            self.first = first
            self.second = second
        }

        /// The 16 bytes as they stand in the file.
        package var bytes: [UInt8] {
            var bytes = [UInt8](repeating: 0, count: 16)
            bytes.setLittleEndian(first, at: 0)
            bytes.setLittleEndian(second, at: 8)
            return bytes
        }
    }

    /// Why a header can't be made or used.
    package struct Problem: Error, Equatable, Sendable {
        /// A clause for a person, to stand behind "the journal": for instance `has a wrong checksum`.
        package var reason: String

        /// Makes a problem of a clause.
        package init(reason: String) {
            self.reason = reason
        }
    }

    /// The largest segment in bytes.
    package static let maximumSegmentSize: Int64 = GiB
    /// The most UTF-8 bytes of a strong ETag that fit.
    package static let maximumETagByteCount = 2046
    /// The most UTF-8 bytes of a media type that fit.
    package static let maximumMediaTypeByteCount = 254
    /// The most UTF-8 bytes of a boot id that fit.
    package static let maximumBootIDByteCount = 62

    /// The journal's random id, also the salt of ``urlHash``.
    package let id: ID
    /// The resource's length in bytes, at least 1.
    package let length: Int64
    /// The fixed segment size in bytes, 1 to ``maximumSegmentSize``.
    package let segmentSize: Int64
    /// The resource's strong ETag with its quotes; `nil` where there is none that fits.
    package let strongETag: String?
    /// The resource's Last-Modified time in seconds since 1970; `nil` where there is none.
    package let lastModified: Int64?
    /// The resource's media type; `nil` where there is none that fits.
    package let mediaType: String?
    /// The inode number of the part file. The device is left out: its number changes with every mount of a network or
    /// btrfs volume, and part file and journal lie in one folder.
    package let partFileInode: UInt64
    /// SHA-256 over ``id`` and the URL as asked for, 32 bytes: shows an equal URL, and tells nobody what it is.
    package let urlHash: [UInt8]
    /// The boot in which bits were set without syncs (`--no-sync`); `nil` where every bit is synced.
    package let bootID: String?

    /// Makes a header. Validators that are too long to fit are left out, as if the server had sent none.
    ///
    /// - Throws: Where length, segment size, their quotient, the hash or the boot id is out of its bounds.
    package init(
        id: ID,
        length: Int64,
        segmentSize: Int64,
        strongETag: String?,
        lastModified: Int64?,
        mediaType: String?,
        partFileInode: UInt64,
        urlHash: [UInt8],
        bootID: String? = nil
    ) throws(Problem) {
        guard segmentSize >= 1, segmentSize <= Self.maximumSegmentSize else {
            throw Problem(reason: "has an impossible segment size")
        }
        guard length >= 1, (length - 1) / segmentSize < JournalLayout.maximumSegmentCount else {
            throw Problem(reason: "has an impossible length")
        }
        guard urlHash.count == 32 else { throw Problem(reason: "has an impossible URL hash") }
        guard (bootID?.utf8.count ?? 0) <= Self.maximumBootIDByteCount else {
            throw Problem(reason: "has an impossible boot id")
        }
        self.id = id
        self.length = length
        self.segmentSize = segmentSize
        self.strongETag = strongETag.flatMap { $0.utf8.count <= Self.maximumETagByteCount ? $0 : nil }
        self.lastModified = lastModified
        self.mediaType = mediaType.flatMap { $0.utf8.count <= Self.maximumMediaTypeByteCount ? $0 : nil }
        self.partFileInode = partFileInode
        self.urlHash = urlHash
        self.bootID = bootID
    }

    /// The number of segments, 1 to ``JournalLayout/maximumSegmentCount``.
    package var segmentCount: Int { Int((length - 1) / segmentSize) + 1 }

    /// The same header with another boot id.
    ///
    /// - Parameter bootID: The boot in which bits will be set without syncs; `nil` where they will be synced.
    /// - Returns: The header.
    /// - Throws: Where the boot id is too long.
    package func with(bootID: String?) throws(Problem) -> JournalHeader {
        try JournalHeader(
            id: id,
            length: length,
            segmentSize: segmentSize,
            strongETag: strongETag,
            lastModified: lastModified,
            mediaType: mediaType,
            partFileInode: partFileInode,
            urlHash: urlHash,
            bootID: bootID
        )
    }
}
