internal import CSegdlShims
internal import SegmentedDownloadCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The folder that a file goes to. Everything in it is reached through its descriptor, so that a folder that is
/// renamed or replaced meanwhile can't split a file from its journal.
///
/// All members may be called from any thread: there is nothing in it that changes.
package final class Folder: Sendable {
    /// The path as the user gave it, for messages.
    package let path: String
    /// For messages.
    let advice: OptionAdvice
    /// The longest name in bytes that the folder's file system takes; fpathconf(3). 255 nearly everywhere, 143 on
    /// eCryptfs.
    package let longestNameByteCount: Int
    private let descriptor: FileDescriptor

    private init(path: String, advice: OptionAdvice, descriptor: consuming FileDescriptor) {
        self.path = path
        self.advice = advice
        let fd = descriptor.rawValue
        let limit = try? SystemCall.call(.fpathconf, fd) {
            // -1 without an errno is no failure: there is no limit.
            errno = 0
            return fpathconf(fd, Int32(_PC_NAME_MAX))
        }
        longestNameByteCount = limit.flatMap { $0 > 0 ? $0 : nil } ?? FileName.usualLimit
        self.descriptor = descriptor
    }

    /// Opens a folder; openat(2), mkdir(2).
    ///
    /// - Parameters:
    ///   - path: Its path; empty is the working directory.
    ///   - isCreating: Whether it, and what is missing above it, is made.
    ///   - isSyncing: Whether what is made is on the disk when this returns.
    ///   - advice: What messages say of options.
    /// - Returns: The open folder.
    /// - Throws: `localFile`.
    package static func open(
        path: String,
        creating isCreating: Bool,
        syncing isSyncing: Bool = true,
        advice: OptionAdvice = .alone
    ) throws(DownloadError) -> Folder {
        if let folder = try find(path: path, advice: advice) { return folder }
        if isCreating {
            try createDirectories(path, syncing: isSyncing)
            if let folder = try find(path: path, advice: advice) { return folder }
        }
        throw openError(Errno(rawValue: ENOENT), path: path)
    }

    /// Opens a folder where there is one; openat(2).
    ///
    /// - Parameters:
    ///   - path: Its path; empty is the working directory.
    ///   - advice: What messages say of options.
    /// - Returns: The open folder; `nil` where nothing stands there.
    /// - Throws: `localFile`.
    package static func find(path: String, advice: OptionAdvice = .alone) throws(DownloadError) -> Folder? {
        let path = path.isEmpty ? "." : path
        do throws(Errno) {
            return Folder(path: path, advice: advice, descriptor: try openDirectory(path))
        } catch {
            if error.rawValue == ENOENT { return nil }
            throw openError(error, path: path)
        }
    }

    private static func openDirectory(_ path: String) throws(Errno) -> FileDescriptor {
        try FileDescriptor.open(path, in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY)
    }

    /// As `mkdir -p`: each prefix of the path that ends before a slash, then the path itself. Scalars, as in ``parts(of:)``.
    private static func createDirectories(_ path: String, syncing isSyncing: Bool) throws(DownloadError) {
        var refused: (path: String, error: Errno)?
        var made: [String] = []
        let scalars = path.unicodeScalars
        let inner = scalars.indices.dropFirst().filter {
            scalars[$0] == "/" && scalars[scalars.index(before: $0)] != "/"
        }
        for end in inner + [scalars.endIndex] {
            let prefix = String(scalars[..<end])
            do throws(Errno) {
                try SystemCall.call(.mkdir, AT_FDCWD, .name(prefix)) { mkdir(prefix, 0o777) }
                refused = nil
                made.append(prefix)
            } catch {
                // A prefix that is there may well refuse (EACCES, EROFS): what counts is the last one. ENOENT only says that
                // the one before is missing.
                if error.rawValue == EEXIST {
                    refused = nil
                } else if error.rawValue != ENOENT || refused == nil {
                    refused = (prefix, error)
                }
            }
        }
        if let refused { throw openError(refused.error, path: refused.path, failure: "Could not make the folder") }
        guard isSyncing else { return }
        for path in made { try syncParent(of: path) }
    }

    /// Waits until the name of a folder that was made is on the disk; fsync(2).
    private static func syncParent(of path: String) throws(DownloadError) {
        let parent = parts(of: path).folder ?? "."
        do throws(Errno) {
            try openDirectory(parent).sync()
        } catch  where error.meansUnsupported || error.rawValue == EACCES {
            // Who may make names in it, and not read them, can't wait for them.
            return
        } catch {
            throw error.localFileError("Could not sync the folder", path: parent)
        }
    }

    private static func openError(
        _ error: Errno,
        path: String,
        failure: String = "Could not open the folder"
    ) -> DownloadError {
        switch error.rawValue {
        case ENOENT:
            DownloadError(
                .localFile,
                "The folder '\(path)' does not exist; create it, or choose another one.",
                underlying: error.description
            )
        case ENOTDIR, ELOOP:
            DownloadError(
                .localFile,
                "'\(path)' is no folder; choose another one.",
                underlying: error.description
            )
        default:
            error.localFileError(failure, path: path)
        }
    }

    /// What stands before and after the last slash. Scalars, since a slash and a combining mark after it are one
    /// Character, and the kernel sees the slash.
    static func parts(of path: String) -> (folder: String?, name: String) {
        let scalars = path.unicodeScalars
        guard let slash = scalars.lastIndex(of: "/") else { return (nil, path) }
        let folder = slash == scalars.startIndex ? "/" : String(scalars[..<slash])
        return (folder, String(scalars[scalars.index(after: slash)...]))
    }

    /// The path of a name in this folder, for messages.
    ///
    /// - Parameter name: The name.
    /// - Returns: Folder and name.
    package func path(of name: String) -> String { Self.path(of: name, in: path) }

    /// A name's path in a folder, as messages show it.
    static func path(of name: String, in path: String) -> String {
        if path == "." { return name }
        return path.hasSuffix("/") ? path + name : "\(path)/\(name)"
    }

    /// Checks that files can be made in it, and renamed; faccessat(2).
    ///
    /// - Throws: `localFile`.
    package func checkIsWritable() throws(DownloadError) {
        let fd = descriptor.rawValue
        do throws(Errno) {
            try SystemCall.call(.faccessat, fd) { faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) }
        } catch {
            throw error.localFileError("Could not write to the folder", path: path)
        }
    }

    /// What stands at a name, without following a symbolic link; fstatat(2).
    ///
    /// - Parameter name: The name.
    /// - Returns: `nil` where nothing stands there.
    /// - Throws: `localFile`.
    package func fileStatus(_ name: String) throws(DownloadError) -> FileStatus? {
        do throws(Errno) {
            return try status(name)
        } catch {
            throw error.localFileError("Could not look at", path: path(of: name))
        }
    }

    /// Removes a name; unlinkat(2). A name that isn't there is none to remove.
    ///
    /// - Parameter name: The name of anything but a folder.
    /// - Throws: `localFile`.
    package func unlink(_ name: String) throws(DownloadError) {
        do throws(Errno) {
            try remove(name)
        } catch {
            throw error.localFileError("Could not remove", path: path(of: name))
        }
    }

    /// Waits until the names that were made, renamed and removed are on the disk; fsync(2). A folder on a file system
    /// that can't sync folders is none to wait for.
    ///
    /// - Throws: `localFile`.
    package func sync() throws(DownloadError) {
        do throws(Errno) {
            try syncNames()
        } catch {
            throw error.localFileError("Could not sync the folder", path: path)
        }
    }
}

/// The calls beneath, which leave the sentence to their callers.
extension Folder {
    func status(_ name: String) throws(Errno) -> FileStatus? {
        var status = stat()
        do throws(Errno) {
            try SystemCall.call(.fstatat, descriptor.rawValue, .name(name)) {
                fstatat(descriptor.rawValue, name, &status, AT_SYMLINK_NOFOLLOW)
            }
        } catch  where error.rawValue == ENOENT {
            return nil
        }
        return FileStatus(status)
    }

    func syncNames() throws(Errno) {
        do throws(Errno) {
            try descriptor.sync()
        } catch  where error.meansUnsupported {
            return
        }
    }

    func open(_ name: String, flags: Int32) throws(Errno) -> FileDescriptor {
        try FileDescriptor.open(name, in: descriptor.rawValue, flags: flags)
    }

    func remove(_ name: String) throws(Errno) {
        do throws(Errno) {
            try SystemCall.call(.unlinkat, descriptor.rawValue, .name(name)) {
                unlinkat(descriptor.rawValue, name, 0)
            }
        } catch  where error.rawValue == ENOENT {
            return
        }
    }

    func rename(_ name: String, to newName: String) throws(Errno) {
        try SystemCall.call(.renameat, descriptor.rawValue, .names(name, newName)) {
            renameat(descriptor.rawValue, name, descriptor.rawValue, newName)
        }
    }

    func link(_ name: String, to newName: String) throws(Errno) {
        try SystemCall.call(.linkat, descriptor.rawValue, .names(name, newName)) {
            linkat(descriptor.rawValue, name, descriptor.rawValue, newName, 0)
        }
    }

    func renameWithoutReplacing(_ name: String, to newName: String) throws(Errno) {
        try SystemCall.call(.renameNoReplace, descriptor.rawValue, .names(name, newName)) {
            segdl_rename_no_replace(descriptor.rawValue, name, descriptor.rawValue, newName)
        }
    }
}
