package import SegmentedDownloadCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension Journal {
    /// Makes a journal, in place of one that is there: written whole under a name of its own, synced, renamed, and the
    /// folder synced. At no moment is there half a journal at the journal's name.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - names: The names in it.
    ///   - header: What the bits are segments of. Its boot id is replaced by what `syncs` calls for.
    ///   - bitmap: The segments that are finished, synced if `syncs`.
    ///   - syncs: Whether bits will be set only for data that is synced. Else the boot id goes into the header.
    /// - Returns: The open journal.
    /// - Throws: `localFile`; a journal that was there before is then still there.
    package static func create(
        in folder: Folder,
        names: FileNames,
        header: JournalHeader,
        bitmap: SegmentBitmap,
        syncs: Bool
    ) throws(DownloadError) -> Journal {
        do throws(Errno) {
            let header = try header.with(syncs: syncs)
            try folder.remove(names.newJournal)
            let descriptor = try folder.open(names.newJournal, flags: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW)
            do throws(Errno) {
                let groups = try writeWhole(header, bitmap, to: descriptor)
                if syncs { try descriptor.sync() }
                try folder.rename(names.newJournal, to: names.journal)
                if syncs { try folder.syncNames() }
                return Journal(
                    folder: folder,
                    names: names,
                    header: header,
                    bitmap: bitmap,
                    groups: groups,
                    descriptor: descriptor
                )
            } catch {
                // Best effort: the next run removes it in any case.
                try? folder.remove(names.newJournal)
                throw error
            }
        } catch {
            throw error.localFileError("Could not write the journal", path: folder.path(of: names.journal))
        }
    }

    /// Goes on with a journal that was loaded. Where this run syncs and the one before did not, or the other way
    /// round, a new journal takes its place: the header tells which bits can be trusted. So it does where generations
    /// come to their end.
    ///
    /// - Parameters:
    ///   - contents: What ``load(in:names:partFile:)`` found.
    ///   - folder: The folder.
    ///   - names: The names in it.
    ///   - partFile: The locked part file.
    ///   - syncs: Whether this run syncs.
    /// - Returns: `nil` where the bits needed a sync of the part file, and it failed: begin anew.
    /// - Throws: `localFile`.
    package static func resume(
        _ contents: JournalContents,
        in folder: Folder,
        names: FileNames,
        partFile: PartFile,
        syncs: Bool
    ) throws(DownloadError) -> Journal? {
        if contents.needsSyncBeforeTrust, syncs {
            do throws(Errno) {
                try partFile.syncData()
            } catch {
                return nil
            }
        }
        let isUsedUp = contents.groups.contains(where: \.isNearItsLastGeneration)
        guard contents.needsSyncBeforeTrust == !syncs, !isUsedUp else {
            return try create(
                in: folder,
                names: names,
                header: contents.header,
                bitmap: contents.bitmap,
                syncs: syncs
            )
        }
        do throws(Errno) {
            // Left by a run that died before it could rename it.
            try folder.remove(names.newJournal)
            let descriptor = try folder.open(names.journal, flags: O_RDWR | O_NOFOLLOW | O_NONBLOCK)
            // Replaced since it was read: no file there is the one that was checked.
            guard try descriptor.status().inode == contents.inode else { throw Errno(rawValue: ESTALE) }
            return Journal(
                folder: folder,
                names: names,
                header: contents.header,
                bitmap: contents.bitmap,
                groups: contents.groups,
                descriptor: descriptor
            )
        } catch {
            throw error.localFileError("Could not open the journal", path: folder.path(of: names.journal))
        }
    }

    /// Removes a journal whose bits count no more, for good, and what is left of one that was being made. Before it is
    /// gone no byte may be written that its bits are not about: a power cut could bring it back beside them.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - names: The names in it.
    /// - Throws: `localFile`.
    package static func discard(in folder: Folder, names: FileNames) throws(DownloadError) {
        // To look at a name that isn't there costs a fourth of an attempt to remove it.
        if try folder.fileStatus(names.newJournal) != nil { try folder.unlink(names.newJournal) }
        guard try folder.fileStatus(names.journal) != nil else { return }
        try folder.unlink(names.journal)
        try folder.sync()
    }

    /// Removes the journal of a part file that has become NAME. From that rename on another segdl may make a part file
    /// and a journal at the same names, for a newer NAME: what names another part file is not touched.
    ///
    /// - Parameters:
    ///   - partFile: The part file that was.
    ///   - folder: The folder.
    ///   - names: The names in it.
    /// - Throws: `localFile`.
    package static func remove(
        of partFile: PartFile,
        in folder: Folder,
        names: FileNames
    ) throws(DownloadError) {
        do throws(Errno) {
            guard try partFileInode(ofJournal: names.journal, in: folder) == partFile.inode else { return }
            try folder.remove(names.journal)
        } catch {
            throw error.localFileError("Could not remove", path: folder.path(of: names.journal))
        }
    }

    /// Both pages of each group get the same bits: damage to one of them then loses nothing.
    private static func writeWhole(
        _ header: JournalHeader,
        _ bitmap: SegmentBitmap,
        to descriptor: borrowing FileDescriptor
    ) throws(Errno) -> [JournalGroup] {
        try descriptor.write(header.encoded(), at: 0)
        var groups: [JournalGroup] = []
        for number in 0..<JournalLayout.groupCount(segmentCount: bitmap.count) {
            var group = JournalGroup(number: number)
            for _ in 0..<2 {
                let page = group.nextPage(id: header.id, bitmap: bitmap)
                try descriptor.write(page.bytes, at: page.offset)
            }
            groups.append(group)
        }
        return groups
    }
}

extension JournalHeader {
    fileprivate func with(syncs: Bool) throws(Errno) -> JournalHeader {
        let bootID = syncs ? nil : try BootID.current() ?? BootID.unknown
        do throws(Problem) {
            return try with(bootID: bootID)
        } catch {
            // Every part of it was checked before, and a boot id is cut to what fits.
            throw Errno(rawValue: EINVAL)
        }
    }
}
