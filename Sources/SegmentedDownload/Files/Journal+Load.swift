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
    /// - Throws: `localFile` where the journal can't be opened: it may be worth a lot, so it is not thrown away.
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
        do throws(JournalHeader.Problem) {
            let header = try header(in: descriptor)
            try check(header, inode: partFile.inode, size: partFileSize)
            return .usable(contents(of: descriptor, header: header, inode: status.inode))
        } catch {
            return .unusable(reason: "The journal '\(path)' \(error.reason).")
        }
    }

    /// The part file that a journal names.
    ///
    /// - Parameters:
    ///   - name: The journal's name.
    ///   - folder: The folder.
    /// - Returns: Its inode number; `nil` where there is no readable journal.
    static func partFileInode(ofJournal name: String, in folder: Folder) -> UInt64? {
        guard let status = try? folder.status(name), status.kind == .regular,
            let descriptor = try? openForReading(name, in: folder),
            let header = try? header(in: descriptor)
        else {
            return nil
        }
        return header.partFileInode
    }

    /// O_NONBLOCK: a FIFO that took the journal's place a moment ago must not hang the open.
    private static func openForReading(_ name: String, in folder: Folder) throws(Errno) -> FileDescriptor {
        try folder.open(name, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    }

    private static func header(
        in descriptor: borrowing FileDescriptor
    ) throws(JournalHeader.Problem) -> JournalHeader {
        try JournalHeader(decoding: page(of: descriptor, at: 0))
    }

    /// A page that the disk can't read is damaged like any other.
    private static func page(of descriptor: borrowing FileDescriptor, at offset: Int64) -> [UInt8] {
        do throws(Errno) {
            return try descriptor.bytes(JournalLayout.pageByteCount, at: offset)
        } catch {
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
        guard header.bootID == nil || header.bootID == BootID.current() else {
            throw JournalHeader.Problem(reason: "was written with --no-sync before the machine was restarted")
        }
    }

    private static func contents(
        of descriptor: borrowing FileDescriptor,
        header: JournalHeader,
        inode: UInt64
    ) -> JournalContents {
        var bitmap = SegmentBitmap(count: header.segmentCount)
        var damagedBlockCount = 0
        var groups: [JournalGroup] = []
        for number in 0..<JournalLayout.groupCount(segmentCount: header.segmentCount) {
            let pages = (
                first: page(of: descriptor, at: JournalLayout.pageOffset(copy: 0, group: number)),
                second: page(of: descriptor, at: JournalLayout.pageOffset(copy: 1, group: number))
            )
            groups.append(
                JournalGroup(
                    number: number,
                    decoding: pages,
                    id: header.id,
                    into: &bitmap,
                    damagedBlockCount: &damagedBlockCount
                )
            )
        }
        return JournalContents(
            header: header,
            bitmap: bitmap,
            damagedBlockCount: damagedBlockCount,
            needsSyncBeforeTrust: header.bootID != nil,
            groups: groups,
            inode: inode
        )
    }
}
