internal import CSegdlShims

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A plain file that is only looked at: one that stands at NAME already.
package struct ReadOnlyFile: ~Copyable {
    /// Its path, for messages.
    package let path: String
    /// Its size in bytes when it was opened.
    package let size: Int64
    private let descriptor: FileDescriptor

    /// Opens a file, never through a symbolic link, and never a device that would hang; openat(2).
    ///
    /// - Throws: `localFile`.
    package init(in folder: Folder, name: String) throws(DownloadError) {
        let path = folder.path(of: name)
        self = try Self.opened(in: folder, name: name, path: path)
    }

    private init(descriptor: consuming FileDescriptor, size: Int64, path: String) {
        self.descriptor = descriptor
        self.size = size
        self.path = path
    }

    private static func opened(in folder: Folder, name: String, path: String) throws(DownloadError) -> ReadOnlyFile {
        do throws(Errno) {
            let descriptor = try folder.open(name, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
            let size = try descriptor.status().size
            return ReadOnlyFile(descriptor: descriptor, size: size, path: path)
        } catch {
            throw error.localFileError("Could not open", path: path)
        }
    }

    /// Reads a part; fewer bytes come only at the end of the file. pread(2).
    package func read(_ range: Range<Int64>) throws(DownloadError) -> [UInt8] {
        do throws(Errno) {
            return try descriptor.bytes(Int(range.upperBound - range.lowerBound), at: range.lowerBound)
        } catch {
            throw error.localFileError("Could not read", path: path)
        }
    }

    /// The first holes, ascending; the end of the file is none. Unwritten extents count as holes; lseek(2), SEEK_HOLE.
    ///
    /// - Parameter limit: The most holes to look for.
    package func holes(limit: Int) throws(DownloadError) -> [Range<Int64>] {
        var holes: [Range<Int64>] = []
        var offset: Int64 = 0
        do throws(Errno) {
            while holes.count < limit, offset < size, let start = try seek(offset, segdl_seek_hole()), start < size {
                let end = min(try seek(start, segdl_seek_data()) ?? size, size)
                guard end > start else { break }
                holes.append(start..<end)
                offset = end
            }
        } catch  where error.rawValue == EINVAL {
            // A file system that knows no holes.
            return []
        } catch {
            throw error.localFileError("Could not look for holes in", path: path)
        }
        return holes
    }

    /// - Returns: `nil` where there is no more data after the offset.
    private func seek(_ offset: Int64, _ whence: Int32) throws(Errno) -> Int64? {
        do throws(Errno) {
            return Int64(
                try SystemCall.call(.lseek, descriptor.rawValue) { lseek(descriptor.rawValue, off_t(offset), whence) }
            )
        } catch  where error.rawValue == ENXIO {
            return nil
        }
    }
}
