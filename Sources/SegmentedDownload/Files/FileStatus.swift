#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// What stands at a name; stat(2).
package struct FileStatus: Equatable, Sendable {
    /// What kind of thing it is.
    package enum Kind: Equatable, Sendable {
        /// A plain file.
        case regular
        /// A folder.
        case directory
        /// A symbolic link, whatever it points to.
        case symbolicLink
        /// A device, FIFO or socket.
        case other
    }

    /// What kind of thing it is.
    package var kind: Kind
    /// The size in bytes.
    package var size: Int64
    /// Bytes that the file system has set aside for it.
    package var allocatedByteCount: Int64
    /// The inode number.
    package var inode: UInt64
    /// The device that the inode number belongs to.
    package var device: UInt64
    /// The number of names (hard links).
    package var linkCount: UInt64
    /// When the contents were last changed, in seconds since 1970.
    package var modificationTime: Int64

    init(_ status: stat) {
        kind =
            switch mode_t(status.st_mode) & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .directory
            case S_IFLNK: .symbolicLink
            default: .other
            }
        size = Int64(status.st_size)
        // POSIX leaves the unit open; it is 512 bytes on Linux and macOS alike.
        allocatedByteCount = Int64(status.st_blocks).multipliedReportingOverflow(by: 512).partialValue
        inode = UInt64(status.st_ino)
        device = UInt64(truncatingIfNeeded: status.st_dev)
        linkCount = UInt64(status.st_nlink)
        #if canImport(Darwin)
            modificationTime = Int64(status.st_mtimespec.tv_sec)
        #else
            modificationTime = Int64(status.st_mtim.tv_sec)
        #endif
    }

    /// Whether two statuses are of the same inode.
    ///
    /// - Parameter other: The other status.
    /// - Returns: Whether inode and device are equal.
    package func isSameFile(as other: FileStatus) -> Bool {
        inode == other.inode && device == other.device
    }
}

extension FileStatus.Kind {
    /// What it is, as a sentence calls it: `a folder`.
    var nounPhrase: String {
        switch self {
        case .regular: "a file"
        case .directory: "a folder"
        case .symbolicLink: "a symbolic link"
        case .other: "a device, FIFO or socket"
        }
    }
}
