/// How a download ended well.
public struct DownloadReport: Sendable, Equatable {
    /// What the file at ``path`` is.
    public enum Outcome: String, Sendable, Equatable {
        /// Fetched, complete and renamed into place.
        case downloaded
        /// It was there before and was accepted.
        case existing
    }

    /// What says that the bytes are the right ones, beyond what TCP and TLS promise.
    public enum Verification: String, Sendable, Equatable {
        /// The digest is the one asked for.
        case checksum
        /// Every answer carried the same strong ETag.
        case strongETag = "strong ETag"
        /// Every answer carried the same Last-Modified time and length.
        case lastModified = "Last-Modified"
        /// The length and sample blocks were compared.
        case samples = "sample blocks"
        /// Only the length was compared.
        case length
        /// Nothing could be compared, not even the length.
        case none
    }

    /// What the file at ``path`` is.
    public var outcome: Outcome
    /// The path of the final file.
    public var path: String
    /// The file's length in bytes.
    public var length: Int64
    /// Body bytes that this run received.
    public var receivedByteCount: Int64
    /// Body bytes that this run received for places that it had held already.
    public var refetchedByteCount: Int64
    /// Bytes that an earlier run left.
    public var resumedByteCount: Int64
    /// From the start of the download until the file was in place.
    public var elapsed: Duration
    /// What was compared.
    public var verification: Verification
}
