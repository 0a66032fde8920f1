#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension PartFile {
    /// Each turn is lost only to another segdl that finished, or to somebody who renames at that very moment.
    private static let attempts = 16

    /// Opens the part file, or makes it empty, and locks it.
    ///
    /// Between open and lock another segdl may have renamed the file to NAME: writing on would destroy a finished file.
    /// So the locked inode must still be the one at the name; else everything begins anew.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - name: The part file's name in it.
    /// - Returns: The part file.
    /// - Throws: `localFile`: held by another segdl, not a plain file of one name, or what the system said.
    package static func openLocked(in folder: Folder, name: String) throws(DownloadError) -> PartFile {
        let path = folder.path(of: name)
        for _ in 0..<attempts {
            if let status = try folder.fileStatus(name) { try check(status, path: path, folder.advice) }
            let descriptor: FileDescriptor
            do throws(Errno) {
                // A FIFO that appears after the look at it above must not hang the open: O_NONBLOCK. On a plain file it
                // means nothing.
                descriptor = try folder.open(name, flags: O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK)
            } catch  where [ELOOP, EISDIR, ENXIO].contains(error.rawValue) {
                // Something else appeared there: the next turn says what.
                continue
            } catch {
                throw error.localFileError("Could not open", path: path)
            }
            do throws(Errno) {
                let isLocked = try lock(descriptor)
                let status = try descriptor.status()
                guard let named = try folder.status(name), named.isSameFile(as: status) else { continue }
                guard status.kind == .regular, status.linkCount == 1 else { continue }
                return PartFile(
                    folder: folder,
                    name: name,
                    inode: status.inode,
                    isLocked: isLocked,
                    descriptor: descriptor
                )
            } catch  where error.rawValue == EWOULDBLOCK {
                let holder = (try? descriptor.status()).flatMap(LockHolder.processID)
                throw heldError(path: path, by: holder, folder.advice)
            } catch {
                throw error.localFileError("Could not lock", path: path)
            }
        }
        throw DownloadError(
            .localFile,
            "'\(path)' is replaced again and again; choose another name with \(folder.advice.name)."
        )
    }

    /// Gives the lock back, when nobody will write any more. Without it a worker's thread, which may still be leaving
    /// its last function with a reference to the file, would hold it a moment longer than the download lasts: one that
    /// follows at once in the same process would be told that another segdl has it.
    package func unlock() {
        let fd = descriptor.rawValue
        // Closing the file does the same.
        _ = try? SystemCall.call(.flock, fd) { flock(fd, LOCK_UN) }
    }

    private static func check(_ status: FileStatus, path: String, _ advice: OptionAdvice) throws(DownloadError) {
        guard status.kind == .regular else {
            throw DownloadError(
                .localFile,
                "'\(path)' is \(status.kind.nounPhrase), where the part file belongs; "
                    + "remove it, or choose another name with \(advice.name)."
            )
        }
        guard status.linkCount == 1 else {
            throw DownloadError(
                .localFile,
                "'\(path)' has a second name (hard link), which writing would change too; "
                    + "remove it, or choose another name with \(advice.name)."
            )
        }
    }

    private static func heldError(path: String, by processID: Int32?, _ advice: OptionAdvice) -> DownloadError {
        let holder = processID.map { " (process \($0))" } ?? ""
        return DownloadError(
            .localFile,
            "Another segdl\(holder) is downloading to '\(path)'; wait for it, or choose another name with \(advice.name)."
        )
    }

    /// Takes the lock without waiting; flock(2).
    ///
    /// - Returns: `false` where the file system has no locks (old NFS servers, some FUSE).
    /// - Throws: `EWOULDBLOCK` where another holds it.
    private static func lock(_ descriptor: borrowing FileDescriptor) throws(Errno) -> Bool {
        let fd = descriptor.rawValue
        do throws(Errno) {
            try SystemCall.call(.flock, fd) { flock(fd, LOCK_EX | LOCK_NB) }
            return true
        } catch  where error.meansUnsupported || error.rawValue == ENOLCK {
            return false
        }
    }
}
