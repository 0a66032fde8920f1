internal import CSegdlLibcrypto
internal import CSegdlShims
package import SegmentedDownloadCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension JournalHeader {
    /// The header of a new journal, with a random id.
    ///
    /// - Parameters:
    ///   - url: The URL as asked for. Only its salted hash is kept.
    ///   - length: The resource's length in bytes, at least 1.
    ///   - segmentSize: The fixed segment size in bytes.
    ///   - strongETag: The resource's strong ETag with its quotes.
    ///   - lastModified: The resource's Last-Modified time in seconds since 1970.
    ///   - mediaType: The resource's media type.
    ///   - partFile: The part file that the journal is for.
    /// - Returns: The header.
    /// - Throws: `localFile` where the file has more segments than a journal records, `other` where the system has no
    ///   random bytes, or OpenSSL no SHA-256.
    package static func new(
        url: String,
        length: Int64,
        segmentSize: Int64,
        strongETag: String?,
        lastModified: Int64?,
        mediaType: String?,
        partFile: PartFile
    ) throws(DownloadError) -> JournalHeader {
        let id = try randomID()
        guard let urlHash = urlHash(id: id, url: url) else {
            throw DownloadError(.other, "The system's OpenSSL has no SHA-256.")
        }
        do throws(Problem) {
            return try JournalHeader(
                id: id,
                length: length,
                segmentSize: segmentSize,
                strongETag: strongETag,
                lastModified: lastModified,
                mediaType: mediaType,
                partFileInode: partFile.inode,
                urlHash: urlHash
            )
        } catch {
            throw DownloadError(
                .localFile,
                "'\(partFile.path)' would have too many segments for a journal; choose larger ones with -s.",
                underlying: error.reason
            )
        }
    }

    /// SHA-256 over the id's 16 bytes and the URL's UTF-8 bytes; EVP_Digest(3). The id is the salt: equal URLs of two
    /// journals don't show as equal hashes, and no table of known URLs helps.
    ///
    /// - Parameters:
    ///   - id: The journal's id.
    ///   - url: The URL as asked for.
    /// - Returns: 32 bytes; `nil` where OpenSSL is built without SHA-256, or memory is out.
    package static func urlHash(id: ID, url: String) -> [UInt8]? {
        let message = id.bytes + Array(url.utf8)
        var digest = [UInt8](repeating: 0, count: 32)
        return EVP_Digest(message, message.count, &digest, nil, EVP_sha256(), nil) == 1 ? digest : nil
    }

    /// Whether the journal was made for a URL.
    ///
    /// - Parameter url: The URL as asked for.
    /// - Returns: `false` also where that can't be told.
    package func isForURL(_ url: String) -> Bool {
        urlHash == Self.urlHash(id: id, url: url)
    }

    private static func randomID() throws(DownloadError) -> ID {
        var id = ID(first: 0, second: 0)
        let isRandom = withUnsafeMutableBytes(of: &id) { segdl_random_bytes($0.baseAddress, Int64($0.count)) } == 0
        guard isRandom else {
            let error = Errno(rawValue: errno)
            throw DownloadError(.other, "The system has no random bytes.", underlying: error.description)
        }
        return id
    }
}
