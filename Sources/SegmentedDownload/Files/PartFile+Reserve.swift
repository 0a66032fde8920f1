internal import CSegdlShims

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension PartFile {
    /// Gives the file its size, and sets its room aside where the file system can, so that a full disk shows before the
    /// first byte is fetched.
    ///
    /// fallocate(2), else ftruncate(2); never posix_fallocate(3), which writes zeros for minutes where the file system
    /// has no fallocate. Not on tmpfs either: there fallocate zeroes every page at once.
    ///
    /// - Parameters:
    ///   - byteCount: The final size in bytes.
    ///   - missing: How many of them are still to be written; all of them by default. A file system that compresses
    ///     sets aside less than was written.
    /// - Throws: `localFile`, naming the bytes needed and free where there is too little room. The size is then what it
    ///   was.
    package func reserve(_ byteCount: Int64, missing: Int64 = .max) throws(DownloadError) {
        do throws(Errno) {
            let status = try descriptor.status()
            guard try room(for: byteCount, missing: missing, status).isEnough else { throw Errno(rawValue: ENOSPC) }
            do throws(Errno) {
                try allocate(byteCount)
                // Also makes a file shorter that was longer; fallocate never does.
                try descriptor.truncate(to: byteCount)
            } catch {
                // What fallocate got hold of before it failed is given back.
                try descriptor.truncate(to: status.size)
                throw error
            }
        } catch  where error.rawValue == ENOSPC || error.rawValue == EDQUOT {
            throw noRoomError(byteCount, error)
        } catch {
            throw error.localFileError("Could not reserve \(byteCount) bytes for", path: path)
        }
    }

    /// Checks that there is room, before anything is made for a file of this size: a length that a server made up may
    /// ask for more memory than there is, one bit a segment.
    ///
    /// - Parameter byteCount: The final size in bytes.
    /// - Throws: `localFile`, as ``reserve(_:missing:)`` does.
    package func checkRoom(for byteCount: Int64) throws(DownloadError) {
        do throws(Errno) {
            let room = try room(for: byteCount, missing: .max, descriptor.status())
            guard room.isEnough else { throw Errno(rawValue: ENOSPC) }
        } catch {
            guard error.rawValue == ENOSPC else {
                throw error.localFileError("Could not reserve \(byteCount) bytes for", path: path)
            }
            throw noRoomError(byteCount, error)
        }
    }

    private func room(for byteCount: Int64, missing: Int64, _ status: FileStatus) throws(Errno) -> Room {
        Room(needed: min(missing, max(0, byteCount - status.allocatedByteCount)), free: try freeByteCount())
    }

    private struct Room {
        /// Bytes that the file still has to get.
        var needed: Int64
        /// Bytes that the file system has left for this user; `nil` where it doesn't tell.
        var free: Int64?

        var isEnough: Bool { free.map { $0 >= needed } ?? true }
    }

    private func noRoomError(_ byteCount: Int64, _ error: Errno) -> DownloadError {
        let free = (try? freeByteCount()).flatMap(\.self).map { ", and \($0) are free" } ?? ""
        return DownloadError(
            .localFile,
            "There is no room for '\(path)': it needs \(byteCount) bytes\(free); "
                + "make room, or choose another folder (-d, or dir= in a list).",
            underlying: error.description
        )
    }

    /// fstatvfs(3). A file system without blocks (ramfs, some FUSE) tells nothing about room.
    private func freeByteCount() throws(Errno) -> Int64? {
        var status = statvfs()
        let fd = descriptor.rawValue
        try SystemCall.call(.fstatvfs, fd) { fstatvfs(fd, &status) }
        guard status.f_blocks > 0 else { return nil }
        // Blocks that are kept back for root are free for root.
        let blockCount = geteuid() == 0 ? status.f_bfree : status.f_bavail
        let product = UInt64(blockCount).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return product.overflow ? .max : Int64(clamping: product.partialValue)
    }

    private func allocate(_ byteCount: Int64) throws(Errno) {
        let fd = descriptor.rawValue
        guard byteCount > 0, !isInMemory else { return }
        do throws(Errno) {
            try SystemCall.call(.fallocate, fd, .size(byteCount)) { segdl_fallocate(fd, byteCount) }
        } catch  where error.meansUnsupported {
            return
        }
    }

    /// On tmpfs. Where that can't be told nothing is allocated either.
    private var isInMemory: Bool {
        let fd = descriptor.rawValue
        return (try? SystemCall.call(.fstatfs, fd) { segdl_is_in_memory(fd) }) != 0
    }
}
