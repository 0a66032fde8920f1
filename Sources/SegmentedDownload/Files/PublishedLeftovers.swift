/// What a run leaves that was killed between giving the file its name and removing the rest.
package enum PublishedLeftovers {
    /// Removes the journal of a part file that has become NAME, and the part file's name where NAME is a second name of
    /// the same file (``PartFile/publish(as:replacing:)`` without renameat2). Other files are left alone.
    ///
    /// Called before the part file is opened. Harmless where the other run is still alive: it would do the same.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - names: The names in it.
    /// - Returns: What stands at NAME; `nil` where nothing does.
    /// - Throws: `localFile`.
    @discardableResult
    package static func remove(in folder: Folder, names: FileNames) throws(DownloadError) -> FileStatus? {
        guard let final = try folder.fileStatus(names.final) else { return nil }
        guard final.kind == .regular else { return final }
        if let part = try folder.fileStatus(names.part), part.isSameFile(as: final) {
            try folder.unlink(names.part)
        }
        // One that can't be read stays for whoever needs it, and tells why.
        if (try? Journal.partFileInode(ofJournal: names.journal, in: folder)) == final.inode {
            try folder.unlink(names.journal)
        }
        return final
    }
}
