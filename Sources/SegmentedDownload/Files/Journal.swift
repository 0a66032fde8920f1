internal import SegmentedDownloadLocking
package import SegmentedDownloadCore

/// The open `NAME.segdl.journal`: which segments are finished. `docs/journal-format.md` has its format and its rules.
///
/// Members may be called from any thread; in fact one ``JournalKeeper`` does, so that its lock is never waited for.
package final class Journal: Sendable {
    private struct State {
        var bitmap: SegmentBitmap
        var groups: [JournalGroup]
    }

    /// What the bits are segments of.
    package let header: JournalHeader
    private let folder: Folder
    private let name: String
    private let descriptor: FileDescriptor
    private let state: Locked<State>

    /// Made by ``create(in:names:header:bitmap:syncs:)`` and ``resume(_:in:names:partFile:syncs:)``.
    init(
        folder: Folder,
        names: FileNames,
        header: JournalHeader,
        bitmap: SegmentBitmap,
        groups: [JournalGroup],
        descriptor: consuming FileDescriptor
    ) {
        self.folder = folder
        name = names.journal
        self.header = header
        self.descriptor = descriptor
        state = Locked(State(bitmap: bitmap, groups: groups))
    }

    /// Its path, for messages.
    package var path: String { folder.path(of: name) }

    /// The segments that are finished. A copy.
    package var bitmap: SegmentBitmap { state.withLock(\.bitmap) }

    /// Sets the bits of segments whose data is where the header promises it to be (synced, or only written), and
    /// overwrites the older page of each group concerned; pwrite(2).
    ///
    /// - Parameter segments: Segments of the file, in any order.
    /// - Throws: What the system said. The newer pages are untouched.
    package func record(segments: [Int]) throws(Errno) {
        try state.withLock { state throws(Errno) in
            for segment in segments { state.bitmap[segment] = true }
            for number in Set(segments.map(JournalLayout.group(ofSegment:))).sorted() {
                let page = state.groups[number].nextPage(id: header.id, bitmap: state.bitmap)
                try descriptor.write(page.bytes, at: page.offset)
            }
        }
    }

    /// Waits until the bits are on the disk; fdatasync(2).
    ///
    /// - Throws: What the disk said.
    package func sync() throws(Errno) {
        try descriptor.syncData()
    }

    /// The sentence for a failed ``record(segments:)`` or ``sync()``.
    ///
    /// - Parameter error: What it threw.
    /// - Returns: An error of the kind `localFile`.
    package func writeError(_ error: Errno) -> DownloadError {
        error.localFileError("Could not write the journal", path: path)
    }
}

extension FileDescriptor {
    /// Writes all bytes; see ``write(_:at:)-(UnsafeRawBufferPointer,_)``.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - offset: The first one's offset in the file.
    /// - Throws: Why not all of them were written.
    func write(_ bytes: [UInt8], at offset: Int64) throws(Errno) {
        try bytes.withUnsafeBufferPointer { buffer throws(Errno) in
            try write(UnsafeRawBufferPointer(buffer), at: offset)
        }
    }
}
