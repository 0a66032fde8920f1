internal import CSegdlShims
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// What other programs do to the part file while it is written: a lock keeps only those away that ask for it.
extension PartFile {
    /// Whether its name is still its own; another segdl's files may stand there by now.
    ///
    /// - Throws: `localFile`.
    package func isAtItsName() throws(DownloadError) -> Bool {
        do throws(Errno) {
            return try isStillAtItsName()
        } catch {
            throw error.localFileError("Could not look at", path: path)
        }
    }

    /// Looks whether the file was removed, or made shorter than it was; fstat(2).
    ///
    /// - Parameter leastByteCount: The size that it has had already, in bytes.
    /// - Returns: Its size in bytes.
    /// - Throws: `localFile`. After a cut, ``isDamaged`` holds.
    package func checkIsWhole(leastByteCount: Int64) throws(DownloadError) -> Int64 {
        let status: FileStatus
        do throws(Errno) {
            status = try descriptor.status()
        } catch {
            throw error.localFileError("Could not look at", path: path)
        }
        guard status.linkCount > 0 else { throw goneError }
        guard status.size >= leastByteCount else { throw damagedError("was made shorter") }
        return status.size
    }

    /// Looks whether each byte was written: what another program cut off or punched out reads as zeros, even where later
    /// writes gave the file its size back. lseek(2), SEEK_HOLE; only on file systems where what was written and synced
    /// never is a hole (ext4, XFS, Btrfs, tmpfs), since others make holes of zeros (ZFS).
    ///
    /// - Parameter byteCount: The file's size in bytes.
    /// - Throws: `localFile`; ``isDamaged`` then holds.
    package func checkHasNoHoles(_ byteCount: Int64) throws(DownloadError) {
        let fd = descriptor.rawValue
        let hole: Int
        do throws(Errno) {
            let tellsHoles = try SystemCall.call(.fstatfs, fd) { segdl_tells_holes(fd) }
            guard byteCount > 0, tellsHoles == 1 else { return }
            hole = Int(try SystemCall.call(.lseek, fd) { lseek(fd, 0, segdl_seek_hole()) })
        } catch  where error.meansUnsupported {
            return
        } catch {
            throw error.localFileError("Could not look for holes in", path: path)
        }
        guard hole >= byteCount else { throw damagedError("lost bytes that were written: it was changed") }
    }

    /// The sentence where another program took the file's name away.
    var goneError: DownloadError {
        DownloadError(
            .localFile,
            "'\(path)' was renamed or removed by another program while it was being written; run the command again."
        )
    }

    private func damagedError(_ change: String) -> DownloadError {
        damage.store(true, ordering: .relaxed)
        return DownloadError(
            .localFile,
            "'\(path)' \(change) by another program while it was being written: nothing in it can be trusted; "
                + "run the command again to fetch it from the start."
        )
    }
}
