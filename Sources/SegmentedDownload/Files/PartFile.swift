internal import CSegdlShims
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The locked `NAME.segdl.part` that the workers write into.
///
/// All members may be called from any thread: next to nothing in it changes, and the kernel orders what happens to the
/// file. The lock (flock(2)) ends with ``unlock()`` or the last reference, also when the process is killed.
package final class PartFile: Sendable {
    /// The folder that it lies in.
    package let folder: Folder
    /// Its name in the folder.
    package let name: String
    /// Its inode number, which the journal names.
    package let inode: UInt64
    /// Whether no other segdl can have it open; `false` where the file system has no locks.
    package let isLocked: Bool
    let descriptor: FileDescriptor
    /// See ``isDamaged``.
    let damage = Atomic(false)

    /// Made by ``openLocked(in:name:)``.
    init(folder: Folder, name: String, inode: UInt64, isLocked: Bool, descriptor: consuming FileDescriptor) {
        self.folder = folder
        self.name = name
        self.inode = inode
        self.isLocked = isLocked
        self.descriptor = descriptor
    }

    /// Whether another program was seen to change the bytes: what a journal says of them is worth nothing.
    package var isDamaged: Bool { damage.load(ordering: .relaxed) }

    /// Its path, for messages.
    package var path: String { folder.path(of: name) }

    /// Its size in bytes; fstat(2).
    ///
    /// - Throws: `localFile`.
    package func size() throws(DownloadError) -> Int64 {
        do throws(Errno) {
            return try descriptor.status().size
        } catch {
            throw error.localFileError("Could not look at", path: path)
        }
    }

    /// Writes all bytes; pwrite(2). Allocates nothing and takes no lock.
    ///
    /// - Parameters:
    ///   - buffer: The bytes.
    ///   - offset: The first one's offset in the file.
    /// - Throws: Why not all of them were written; ``writeError(_:)`` makes the sentence.
    package func write(_ buffer: UnsafeRawBufferPointer, at offset: Int64) throws(Errno) {
        try descriptor.write(buffer, at: offset)
    }

    /// Reads until the buffer is full or the file ends; pread(2).
    ///
    /// - Parameters:
    ///   - buffer: Where to.
    ///   - offset: The first byte's offset in the file.
    /// - Returns: The number of bytes read.
    /// - Throws: What the disk said.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(Errno) -> Int {
        try descriptor.read(into: buffer, at: offset)
    }

    /// Reads a part; fewer bytes come only at the end of the file. pread(2).
    ///
    /// - Parameter range: The bytes of the file.
    package func bytes(_ range: Range<Int64>) throws(Errno) -> [UInt8] {
        try descriptor.bytes(Int(range.upperBound - range.lowerBound), at: range.lowerBound)
    }

    /// Starts to bring to the disk what was written, and does not wait for it; sync_file_range(2). Where that can't be
    /// done, it isn't needed either: ``syncData()`` then does all of it.
    ///
    /// - Throws: What the disk said.
    package func startWriteBack() throws(Errno) {
        do throws(Errno) {
            try SystemCall.call(.startWriteBack, descriptor.rawValue) {
                segdl_start_write_back(descriptor.rawValue)
            }
        } catch  where error.meansUnsupported || error.rawValue == ESPIPE {
            return
        }
    }

    /// Takes what is on the disk out of the page cache, which other programs need more; posix_fadvise(2). A hint: where
    /// it fails, nothing is lost.
    ///
    /// - Parameter limit: What lies beyond is wanted again; `nil` where nothing is.
    package func dropCache(upTo limit: Int64?) {
        guard limit != 0 else { return }
        _ = try? SystemCall.call(.dropCache, descriptor.rawValue, .size(limit ?? 0)) {
            segdl_drop_cache(descriptor.rawValue, limit ?? 0)
        }
    }

    /// Waits until every byte that was written is on the disk; fdatasync(2).
    ///
    /// - Throws: What the disk said. The bytes written before are then lost for good, whatever a later call returns:
    ///   the kernel may have dropped the pages and marked them clean.
    package func syncData() throws(Errno) {
        try descriptor.syncData()
    }

    /// Sets the size; ftruncate(2).
    ///
    /// - Parameter byteCount: The new size in bytes.
    /// - Throws: `localFile`.
    package func truncate(to byteCount: Int64) throws(DownloadError) {
        do throws(Errno) {
            try descriptor.truncate(to: byteCount)
        } catch {
            throw error.localFileError("Could not set the size of", path: path)
        }
    }

    /// Sets the time of its last change; futimens(2). What is written later sets it anew.
    ///
    /// - Parameter seconds: Seconds since 1970.
    /// - Returns: Whether the file system holds that time; some end in 2038.
    /// - Throws: What the system said.
    package func setModificationTime(_ seconds: Int64) throws(Errno) -> Bool {
        try descriptor.setModificationTime(seconds)
        return try descriptor.status().modificationTime == seconds
    }

    /// Removes the file, if its name still is its own.
    ///
    /// - Throws: `localFile`.
    package func remove() throws(DownloadError) {
        do throws(Errno) {
            guard try isStillAtItsName() else { return }
            try folder.remove(name)
        } catch {
            throw error.localFileError("Could not remove", path: path)
        }
    }

    /// The sentence for a failed ``write(_:at:)``.
    ///
    /// - Parameter error: What it threw.
    /// - Returns: An error of the kind `localFile`.
    package func writeError(_ error: Errno) -> DownloadError {
        error.localFileError("Could not write to", path: path)
    }

    /// The sentence for a failed ``syncData()``.
    ///
    /// - Parameter error: What it threw.
    /// - Returns: An error of the kind `localFile`.
    package func syncError(_ error: Errno) -> DownloadError {
        error.localFileError("The disk failed to take what was written to", path: path)
    }

    func isStillAtItsName() throws(Errno) -> Bool {
        try folder.status(name)?.isSameFile(as: descriptor.status()) ?? false
    }
}
