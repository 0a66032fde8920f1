internal import CSegdlShims

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// An open descriptor that is closed exactly once: when its owner goes.
///
/// Noncopyable, so that no second owner can close it. What several threads share (``PartFile``, ``Folder``) are final
/// classes that hold one as a `let`: the reference count then says when nobody uses it any more.
struct FileDescriptor: ~Copyable, Sendable {
    /// The system's number.
    let rawValue: Int32

    /// Takes over a descriptor.
    ///
    /// - Parameter rawValue: An open descriptor that nobody else closes.
    init(owning rawValue: Int32) {
        self.rawValue = rawValue
    }

    deinit {
        SystemCall.closeOnce(rawValue)
    }

    /// Opens a file; openat(2). `O_CLOEXEC` is added.
    ///
    /// - Parameters:
    ///   - name: A name in the folder, or a path.
    ///   - folder: The folder's descriptor, or `AT_FDCWD`.
    ///   - flags: The `O_` flags.
    ///   - mode: The permissions of a file that is made, before the umask.
    /// - Returns: The descriptor.
    /// - Throws: What the system said.
    static func open(
        _ name: String,
        in folder: Int32,
        flags: Int32,
        mode: mode_t = 0o666
    ) throws(Errno) -> FileDescriptor {
        FileDescriptor(
            owning: try SystemCall.call(.openat, folder, .opening(name, flags: flags)) {
                openat(folder, name, flags | O_CLOEXEC, mode)
            }
        )
    }

    /// What the descriptor refers to; fstat(2).
    func status() throws(Errno) -> FileStatus {
        var status = stat()
        try SystemCall.call(.fstat, rawValue) { fstat(rawValue, &status) }
        return FileStatus(status)
    }

    /// Writes all bytes, however the system cuts them; pwrite(2). Allocates nothing and locks nothing.
    ///
    /// - Parameters:
    ///   - buffer: The bytes.
    ///   - offset: The first one's offset in the file.
    /// - Throws: Why not all of them were written.
    func write(_ buffer: UnsafeRawBufferPointer, at offset: Int64) throws(Errno) {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeRawBufferPointer(rebasing: buffer[done...])
            let position = off_t(offset) + off_t(done)
            let written = try SystemCall.call(.pwrite, rawValue, .writing(rest, at: Int64(position))) {
                pwrite(rawValue, rest.baseAddress, rest.count, position)
            }
            // pwrite(2) promises no such thing as "nothing written, no error": a loop over it might never end.
            guard written > 0 else { throw Errno(rawValue: EIO) }
            done += written
        }
    }

    /// Reads until the buffer is full or the file ends; pread(2).
    ///
    /// - Parameters:
    ///   - buffer: Where to.
    ///   - offset: The first byte's offset in the file.
    /// - Returns: The number of bytes read; less than the buffer holds only at the end of the file.
    /// - Throws: What the disk said.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(Errno) -> Int {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let position = off_t(offset) + off_t(done)
            let count = try SystemCall.call(.pread, rawValue, .reading(rest, at: Int64(position))) {
                pread(rawValue, rest.baseAddress, rest.count, position)
            }
            guard count > 0 else { break }
            done += count
        }
        return done
    }

    /// Reads a piece of the file.
    ///
    /// - Parameters:
    ///   - byteCount: The most bytes to read.
    ///   - offset: The first byte's offset in the file.
    /// - Returns: The bytes; fewer than asked for only at the end of the file.
    /// - Throws: What the disk said.
    func bytes(_ byteCount: Int, at offset: Int64) throws(Errno) -> [UInt8] {
        var failure: Errno?
        let bytes = [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
            do throws(Errno) {
                count = try read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Sets the size; ftruncate(2).
    ///
    /// - Parameter byteCount: The new size in bytes.
    /// - Throws: What the system said.
    func truncate(to byteCount: Int64) throws(Errno) {
        try SystemCall.call(.ftruncate, rawValue, .size(byteCount)) { ftruncate(rawValue, off_t(byteCount)) }
    }

    /// Sets the time of the last change of the contents, and leaves that of the last access; futimens(2).
    ///
    /// - Parameter seconds: Seconds since 1970.
    /// - Throws: What the system said.
    func setModificationTime(_ seconds: Int64) throws(Errno) {
        try SystemCall.call(.futimens, rawValue) { segdl_set_modification_time(rawValue, seconds) }
    }

    /// Waits until the data, and what is needed to read it, is on the disk; fdatasync(2).
    func syncData() throws(Errno) {
        try SystemCall.call(.fdatasync, rawValue) { segdl_sync_data(rawValue) }
    }

    /// Waits until data and metadata are on the disk; fsync(2). On macOS `F_FULLFSYNC`, which fsync there is not.
    func sync() throws(Errno) {
        #if canImport(Darwin)
            try SystemCall.call(.fsync, rawValue) { segdl_sync_data(rawValue) }
        #else
            try SystemCall.call(.fsync, rawValue) { fsync(rawValue) }
        #endif
    }
}
