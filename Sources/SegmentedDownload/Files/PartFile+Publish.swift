#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension PartFile {
    /// Gives the complete file its final name; the last step but ``Folder/sync()``.
    ///
    /// - Parameters:
    ///   - finalName: NAME, in the same folder.
    ///   - isReplacing: Whether a plain file that stands there is replaced. Anything else never is.
    /// - Throws: `localFile`: something stands at NAME, also if it appeared only now, or the part file's name has been
    ///   given to another file. The part file then stays as it is, complete.
    package func publish(as finalName: String, replacing isReplacing: Bool) throws(DownloadError) {
        if isReplacing, let status = try folder.fileStatus(finalName), status.kind != .regular {
            throw takenError(finalName, by: status.kind)
        }
        do throws(Errno) {
            guard try isStillAtItsName() else {
                throw Errno(rawValue: ENOENT)
            }
            if isReplacing {
                try folder.rename(name, to: finalName)
            } else {
                try renameWithoutReplacing(to: finalName)
            }
        } catch  where error.rawValue == EEXIST {
            throw takenError(finalName, by: try folder.fileStatus(finalName)?.kind ?? .regular)
        } catch  where error.rawValue == ENOENT {
            throw goneError
        } catch {
            throw error.localFileError("Could not rename '\(path)' to", path: folder.path(of: finalName))
        }
    }

    /// renameat2(2) with RENAME_NOREPLACE, else link(2), which never replaces either, and unlink(2).
    private func renameWithoutReplacing(to finalName: String) throws(Errno) {
        do throws(Errno) {
            try folder.renameWithoutReplacing(name, to: finalName)
            return
        } catch  where error.meansUnsupported {}
        do throws(Errno) {
            try folder.link(name, to: finalName)
        } catch  where error.meansUnsupported || error.rawValue == EPERM {
            // A file system without either (some FUSE): all that is left is to look once more, right before.
            guard try folder.status(finalName) == nil else { throw Errno(rawValue: EEXIST) }
            return try folder.rename(name, to: finalName)
        } catch  where error.rawValue == EEXIST {
            // An NFS server may have made the link, and its first answer was lost: link(2), BUGS.
            guard let status = try folder.status(finalName), status.isSameFile(as: try descriptor.status()) else {
                throw error
            }
        }
        try folder.remove(name)
    }

    private func takenError(_ finalName: String, by kind: FileStatus.Kind) -> DownloadError {
        let finalPath = folder.path(of: finalName)
        let remedy =
            kind == .regular
            ? "run the command again with \(folder.advice.overwrite) to replace it, or choose another name with \(folder.advice.name)"
            : "move it away, then run the command again"
        return DownloadError(
            .localFile,
            "'\(finalPath)' is there already, as \(kind.nounPhrase); what was downloaded stays in '\(path)': \(remedy)."
        )
    }
}
