/// A snapshot of a download.
public struct DownloadProgress: Sendable, Equatable {
    /// Where a download stands.
    public enum Phase: String, Sendable, Equatable {
        /// Asking the server what the resource is.
        case probing
        /// Comparing what is on disk with the server's bytes.
        case comparing
        /// Fetching.
        case transferring
        /// Hashing what is not hashed yet, for a ``Checksum``.
        case verifying
        /// Waiting until the disk has everything.
        case syncing
        /// Over, well or not.
        case ended
    }

    /// Where the download stands.
    public var phase: Phase
    /// The length in bytes; `nil` where it is not known.
    public var length: Int64?
    /// Bytes of the file that are held: resumed, and received in this run. Never more than ``length``.
    public var heldByteCount: Int64
    /// Bytes of the file that an earlier run left.
    public var resumedByteCount: Int64
    /// Body bytes that this run received, those fetched again included.
    public var receivedByteCount: Int64
    /// Bytes from the file's start that were hashed for a ``Checksum``.
    public var hashedByteCount: Int64 = 0
    /// Connections with a request under way.
    public var connectionCount: Int
    /// Body bytes that each connection of the session has brought for this download, by its number; those behind the last
    /// one that brought any are left out.
    public var connectionByteCounts: [Int64] = []
}
