import Foundation
import SegmentedDownloadCore
import SegmentedDownloadTestSupport

/// What stands in a folder, to be put into another one.
///
/// A journal names its part file by inode number, and a file that is made anew gets another one. So the headers of
/// journals are written anew, through the real encoder, with the number that their part file has in the new folder. A
/// journal of a part file that isn't there keeps a number that no file has, and a header that can't be read stays as
/// it is.
struct FolderState: Sendable {
    struct File: Sendable {
        var bytes: [UInt8]
        /// The inode number by which a journal may name it.
        var inode: UInt64
    }

    var files: [String: File] = [:]

    init() {}

    /// Looks at a folder.
    init(of path: String) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
            let file = "\(path)/\(name)"
            guard let bytes = FileManager.default.contents(atPath: file) else { continue }
            files[name] = File(bytes: [UInt8](bytes), inode: try Self.inode(of: file))
        }
    }

    /// Makes all files in a folder that has none of them.
    ///
    /// - Parameter isAfterRestart: Whether the machine was started again since: the boot that a journal of `--no-sync`
    ///   names is then not this one.
    func put(into path: String, isAfterRestart: Bool = false) throws {
        var inodes: [UInt64: UInt64] = [:]
        for (name, file) in files where !name.hasSuffix(".segdl.journal") && !name.hasSuffix(".segdl.jnew") {
            try Self.write(file.bytes, to: "\(path)/\(name)")
            inodes[file.inode] = try Self.inode(of: "\(path)/\(name)")
        }
        for (name, file) in files where name.hasSuffix(".segdl.journal") || name.hasSuffix(".segdl.jnew") {
            var bytes = file.bytes
            if let header = try? JournalHeader(decoding: Array(bytes.prefix(JournalLayout.pageByteCount))) {
                let moved = try header.moved(
                    to: inodes[header.partFileInode] ?? .max,
                    bootID: isAfterRestart && header.bootID != nil ? "another boot" : header.bootID
                )
                bytes.replaceSubrange(0..<JournalLayout.pageByteCount, with: moved.encoded())
            }
            try Self.write(bytes, to: "\(path)/\(name)")
        }
    }

    private static func write(_ bytes: [UInt8], to path: String) throws {
        guard FileManager.default.createFile(atPath: path, contents: Data(bytes)) else {
            throw TestSupportError("can't write \(path)")
        }
    }

    static func inode(of path: String) throws -> UInt64 {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw TestSupportError("can't look at \(path)") }
        return UInt64(status.st_ino)
    }
}

extension JournalHeader {
    fileprivate func moved(to inode: UInt64, bootID: String?) throws(Problem) -> JournalHeader {
        try JournalHeader(
            id: id,
            length: length,
            segmentSize: segmentSize,
            strongETag: strongETag,
            lastModified: lastModified,
            mediaType: mediaType,
            partFileInode: inode,
            urlHash: urlHash,
            bootID: bootID
        )
    }
}
