internal import SegmentedDownloadCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension Journal {
    /// Reads a journal and checks that it belongs to the part file. Everything in it is untrusted: a bad block means
    /// that its segments are missing, anything else that is bad means that the journal can't be used.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - names: The names in it.
    ///   - partFile: The locked part file.
    /// - Returns: What was found.
    /// - Throws: `localFile` where the journal can't be opened or read: it may be worth a lot, so it is not thrown away.
    package static func load(
        in folder: Folder,
        names: FileNames,
        partFile: PartFile
    ) throws(DownloadError) -> JournalLoad {
        let path = folder.path(of: names.journal)
        guard let status = try folder.fileStatus(names.journal) else { return .absent }
        guard status.kind == .regular else {
            return .unusable(reason: "The journal '\(path)' is \(status.kind.nounPhrase).")
        }
        let partFileSize = try partFile.size()
        let descriptor: FileDescriptor
        do throws(Errno) {
            descriptor = try openForReading(names.journal, in: folder)
        } catch {
            throw error.localFileError("Could not open the journal", path: path)
        }
        do throws(Errno) {
            let page = try descriptor.bytes(JournalLayout.pageByteCount, at: 0)
            let header: JournalHeader
            do throws(JournalHeader.Problem) {
                header = try JournalHeader(decoding: page)
                try check(header, inode: partFile.inode, size: partFileSize)
            } catch {
                return .unusable(reason: "The journal '\(path)' \(error.reason).")
            }
            if let bootID = header.bootID, try BootID.current() != bootID {
                return .unusable(
                    reason: "The journal '\(path)' was written with --no-sync before the machine was restarted."
                )
            }
            return .usable(try contents(of: descriptor, header: header, inode: status.inode))
        } catch {
            throw DownloadError(
                .localFile,
                "The journal '\(path)' can't be read; see to its disk and permissions and run the same command again, or "
                    + "use \(folder.advice.restart) to begin anew.",
                underlying: error.description
            )
        }
    }

    /// Looks whether something stands at the names that the journal needs which no segdl has made: it is never removed.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - names: The names in it.
    /// - Throws: `localFile`.
    package static func checkNames(in folder: Folder, names: FileNames) throws(DownloadError) {
        for name in [names.journal, names.newJournal] {
            guard let status = try folder.fileStatus(name), status.kind != .regular else { continue }
            throw DownloadError(
                .localFile,
                "'\(folder.path(of: name))' is \(status.kind.nounPhrase), where the journal belongs; "
                    + "remove it, or choose another name with \(folder.advice.name)."
            )
        }
    }

    /// The part file that a journal names.
    ///
    /// - Parameters:
    ///   - name: The journal's name.
    ///   - folder: The folder.
    /// - Returns: Its inode number; `nil` where there is no journal, or none that makes sense.
    /// - Throws: What the system said.
    static func partFileInode(ofJournal name: String, in folder: Folder) throws(Errno) -> UInt64? {
        guard let status = try folder.status(name), status.kind == .regular else { return nil }
        do throws(Errno) {
            let page = try openForReading(name, in: folder).bytes(JournalLayout.pageByteCount, at: 0)
            return try? JournalHeader(decoding: page).partFileInode
        } catch  where error.rawValue == ENOENT {
            // Another segdl that looks at NAME removes what was left, too.
            return nil
        }
    }

    /// O_NONBLOCK: a FIFO that took the journal's place a moment ago must not hang the open.
    private static func openForReading(_ name: String, in folder: Folder) throws(Errno) -> FileDescriptor {
        try folder.open(name, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    }

    /// A page of bits that the disk can't read is damaged like any other: it costs what it recorded, and the next write
    /// mends it.
    private static func page(of descriptor: borrowing FileDescriptor, at offset: Int64) throws(Errno) -> [UInt8] {
        do throws(Errno) {
            return try descriptor.bytes(JournalLayout.pageByteCount, at: offset)
        } catch  where error.rawValue == EIO {
            return []
        }
    }

    private static func check(
        _ header: JournalHeader,
        inode: UInt64,
        size: Int64
    ) throws(JournalHeader.Problem) {
        guard header.partFileInode == inode else {
            throw JournalHeader.Problem(reason: "belongs to another part file")
        }
        // Also what guards against an inode number that was handed out again: a new part file is empty.
        guard header.length == size else {
            throw JournalHeader.Problem(reason: "belongs to a part file of another size")
        }
    }

    private static func contents(
        of descriptor: borrowing FileDescriptor,
        header: JournalHeader,
        inode: UInt64
    ) throws(Errno) -> JournalContents {
        var bitmap = SegmentBitmap(count: header.segmentCount)
        var damage = JournalDamage()
        var groups: [JournalGroup] = []
        for number in 0..<JournalLayout.groupCount(segmentCount: header.segmentCount) {
            let pages = (
                first: try page(of: descriptor, at: JournalLayout.pageOffset(copy: 0, group: number)),
                second: try page(of: descriptor, at: JournalLayout.pageOffset(copy: 1, group: number))
            )
            groups.append(
                JournalGroup(
                    number: number,
                    decoding: pages,
                    id: header.id,
                    into: &bitmap,
                    damage: &damage
                )
            )
        }
        return JournalContents(
            header: header,
            bitmap: bitmap,
            damage: damage,
            needsSyncBeforeTrust: header.bootID != nil,
            groups: groups,
            inode: inode
        )
    }
}
