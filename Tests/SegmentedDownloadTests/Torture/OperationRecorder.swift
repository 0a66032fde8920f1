import Foundation
import SegmentedDownload

/// What a download did to its folder and the files in it, one after the other.
enum FileOperation: Sendable {
    case write(file: Int, offset: Int64, bytes: [UInt8])
    /// The file's size is set, or grows to at least so many bytes.
    case resize(file: Int, byteCount: Int64, isGrowing: Bool)
    /// All that was done to the file before is on the disk.
    case sync(file: Int)
    /// A new name of a file, be it a new one or a second name.
    case name(String, file: Int)
    case rename(String, to: String)
    case unlink(String)
    /// All that was done to names before is on the disk.
    case syncFolder

    /// Whether something is on the disk after it that may not have been there before.
    var isSync: Bool {
        switch self {
        case .sync, .syncFolder: true
        default: false
        }
    }

    /// Whether it changes bytes.
    var isWrite: Bool {
        guard case .write = self else { return false }
        return true
    }

    /// The file whose bytes or size it is about.
    var file: Int? {
        switch self {
        case .write(let file, _, _), .resize(let file, _, _), .sync(let file): file
        default: nil
        }
    }
}

/// Records what is done in a folder, through the funnel for system calls.
///
/// The calls that change something are made one at a time, so that the order of the record is the order in which they
/// took effect: a sync covers exactly the writes before it.
///
/// Sendable: all fields are reached with the lock held.
final class OperationRecorder: @unchecked Sendable {
    private let path: String
    private let lock = NSLock()
    private var log: [FileOperation] = []
    private var names: [String: Int] = [:]
    private var inodes: [UInt64] = []

    /// Begins with what stands in the folder, all of it on the disk.
    init(in path: String) throws {
        self.path = path
        start = try FolderState(of: path)
        for (name, file) in start.files {
            names[name] = inodes.count
            inodes.append(file.inode)
        }
        startNames = names
    }

    let start: FolderState
    let startNames: [String: Int]

    /// What was recorded, and each file's inode number.
    var recorded: (log: [FileOperation], inodes: [UInt64]) { lock.withLock { (log, inodes) } }

    /// Runs a body and records what it does.
    func record<Result>(_ body: () throws -> Result) rethrows -> Result {
        try SystemCall.withInterceptor(
            { attempt, proceed throws(Errno) in try self.intercept(attempt, proceed) },
            body
        )
    }

    private func intercept(
        _ attempt: SystemCall.Attempt,
        _ proceed: () throws(Errno) -> Int
    ) throws(Errno) -> Int {
        guard FilesTestFolder.name(ofDescriptor: attempt.fd, in: path) != nil else { return try proceed() }
        lock.lock()
        defer { lock.unlock() }
        let result = try proceed()
        note(attempt, result)
        return result
    }

    private func note(_ attempt: SystemCall.Attempt, _ result: Int) {
        switch (attempt.name, attempt.arguments) {
        case (.pwrite, .writing(let buffer, let offset)):
            log.append(.write(file: file(attempt.fd), offset: offset, bytes: Array(buffer.prefix(result))))
        case (.ftruncate, .size(let byteCount)):
            log.append(.resize(file: file(attempt.fd), byteCount: byteCount, isGrowing: false))
        case (.fallocate, .size(let byteCount)):
            log.append(.resize(file: file(attempt.fd), byteCount: byteCount, isGrowing: true))
        case (.fsync, _) where FilesTestFolder.name(ofDescriptor: attempt.fd, in: path) == ".":
            log.append(.syncFolder)
        case (.fsync, _), (.fdatasync, _): log.append(.sync(file: file(attempt.fd)))
        case (.openat, .opening(let name, _)): noteOpening(name, Int32(result))
        case (.renameat, .names(let old, let new)), (.renameNoReplace, .names(let old, let new)):
            names[new] = names.removeValue(forKey: old)
            log.append(.rename(old, to: new))
        case (.linkat, .names(let old, let new)):
            guard let file = names[old] else { return }
            names[new] = file
            log.append(.name(new, file: file))
        case (.unlinkat, .name(let name)):
            names[name] = nil
            log.append(.unlink(name))
        default: break
        }
    }

    private func noteOpening(_ name: String, _ fd: Int32) {
        let inode = inode(fd)
        if let known = names[name], inodes[known] == inode { return }
        names[name] = inodes.count
        log.append(.name(name, file: inodes.count))
        inodes.append(inode)
    }

    /// The newest file with a descriptor's inode: numbers are handed out again.
    private func file(_ fd: Int32) -> Int {
        let inode = inode(fd)
        return inodes.lastIndex(of: inode) ?? -1
    }

    private func inode(_ fd: Int32) -> UInt64 {
        var status = stat()
        fstat(fd, &status)
        return UInt64(status.st_ino)
    }
}
