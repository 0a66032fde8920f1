import Foundation
import SegmentedDownload

/// Fails one call in a folder, and does to the disk what such a failure does.
///
/// Sendable: all fields are reached with the lock held.
final class FaultInjector: @unchecked Sendable {
    /// What happens to the call that is hit.
    enum Fault: Equatable {
        case error(Int32)
        /// Half of the bytes are written or read.
        case short
        /// None is written, without an error.
        case nothing
    }

    /// What was hit.
    struct Hit {
        let call: SystemCall.Name
        let fault: Fault
    }

    private let path: String
    private let number: Int
    private let choice: Int
    private let isLasting: Bool
    /// What the file system can't do, and says so with this error.
    private let lacks: [SystemCall.Name: Int32]
    private let lock = NSLock()
    private var callCount = 0
    private var callsStorage: Set<SystemCall.Name> = []
    private var hitStorage: Hit?
    private var locker: pthread_t?
    /// Where the next calls of the kind fail too.
    private var lasting: (call: SystemCall.Name, error: Int32)?
    private var unsynced: [UInt64: [(offset: Int64, bytes: [UInt8])]] = [:]

    /// - Parameters:
    ///   - path: The folder.
    ///   - number: The call that is hit, from 1 on.
    ///   - choice: Which of the faults that are plausible for the call.
    ///   - isLasting: Whether later calls of the same kind fail in the same way.
    ///   - lacks: Calls that always fail, and with what.
    init(in path: String, number: Int, choice: Int, isLasting: Bool, lacks: [SystemCall.Name: Int32] = [:]) {
        (self.path, self.number, self.choice, self.isLasting) = (path, number, choice, isLasting)
        self.lacks = lacks
    }

    /// What was called, and could have been hit.
    var calls: Set<SystemCall.Name> { lock.withLock { callsStorage } }

    /// What was hit; `nil` where the run made fewer calls, or the call has fewer faults.
    var hit: Hit? { lock.withLock { hitStorage } }
    /// Whether the run came as far as the call.
    var isReached: Bool { lock.withLock { callCount >= number } }

    /// Runs a body with the fault.
    func inject<Result>(_ body: () throws -> Result) rethrows -> Result {
        try SystemCall.withInterceptor(
            { attempt, proceed throws(Errno) in try self.intercept(attempt, proceed) },
            body
        )
    }

    private func intercept(
        _ attempt: SystemCall.Attempt,
        _ proceed: () throws(Errno) -> Int
    ) throws(Errno) -> Int {
        guard attempt.name != .close, isInFolder(attempt) else { return try proceed() }
        if let number = lacks[attempt.name] { throw Errno(rawValue: number) }
        lock.lock()
        defer { lock.unlock() }
        if let error = errorNow(attempt) {
            if [.fsync, .fdatasync].contains(attempt.name) { dropUnsynced(attempt.fd) }
            throw error
        }
        switch hitNow(attempt) {
        case .error(let number):
            if [.fsync, .fdatasync].contains(attempt.name), number != EINTR { dropUnsynced(attempt.fd) }
            throw Errno(rawValue: number)
        case .short: return try half(attempt)
        case .nothing: return 0
        case nil: break
        }
        return try recorded(attempt, proceed)
    }

    private func isInFolder(_ attempt: SystemCall.Attempt) -> Bool {
        if FilesTestFolder.name(ofDescriptor: attempt.fd, in: path) != nil { return true }
        switch attempt.arguments {
        case .opening(let name, _), .name(let name):
            // The thread that has locked the part file is the download's own.
            return name == path || name.hasSuffix("/boot_id") && lock.withLock { locker == pthread_self() }
        default: return false
        }
    }

    private func errorNow(_ attempt: SystemCall.Attempt) -> Errno? {
        guard let lasting, lasting.call == attempt.name else { return nil }
        return Errno(rawValue: lasting.error)
    }

    private func hitNow(_ attempt: SystemCall.Attempt) -> Fault? {
        callCount += 1
        callsStorage.insert(attempt.name)
        let faults = Self.faults(of: attempt.name)
        guard callCount == number, choice < faults.count else { return nil }
        hitStorage = Hit(call: attempt.name, fault: faults[choice])
        if isLasting, case .error(let error) = faults[choice], error != EINTR { lasting = (attempt.name, error) }
        return faults[choice]
    }

    private func half(_ attempt: SystemCall.Attempt) throws(Errno) -> Int {
        let result: Int
        switch attempt.arguments {
        case .writing(let buffer, let offset):
            remember(attempt)
            result = pwrite(attempt.fd, buffer.baseAddress, (buffer.count + 1) / 2, off_t(offset))
        case .reading(let buffer, let offset):
            result = pread(attempt.fd, buffer.baseAddress, (buffer.count + 1) / 2, off_t(offset))
        default: result = 0
        }
        guard result >= 0 else { throw Errno(rawValue: errno) }
        return result
    }

    private func recorded(
        _ attempt: SystemCall.Attempt,
        _ proceed: () throws(Errno) -> Int
    ) throws(Errno) -> Int {
        if attempt.name == .pwrite { remember(attempt) }
        let result = try proceed()
        if attempt.name == .flock { locker = pthread_self() }
        if [.fsync, .fdatasync].contains(attempt.name) { unsynced[inode(attempt.fd)] = nil }
        return result
    }

    /// What stood there before.
    private func remember(_ attempt: SystemCall.Attempt) {
        guard case .writing(let buffer, let offset) = attempt.arguments else { return }
        var before = [UInt8](repeating: 0, count: buffer.count)
        _ = pread(attempt.fd, &before, before.count, off_t(offset))
        unsynced[inode(attempt.fd), default: []].append((offset, before))
    }

    /// The kernel drops the pages that the disk did not take, and marks them clean: what was there before is read then,
    /// and the next sync succeeds.
    private func dropUnsynced(_ fd: Int32) {
        for (offset, before) in unsynced.removeValue(forKey: inode(fd))?.reversed() ?? [] {
            _ = pwrite(fd, before, before.count, off_t(offset))
        }
    }

    private func inode(_ fd: Int32) -> UInt64 {
        var status = stat()
        fstat(fd, &status)
        return UInt64(status.st_ino)
    }
}

extension FaultInjector {
    /// Every error is tried on every call, since file systems in user space and on networks return what they like; the
    /// plausible ones come first.
    static func faults(of call: SystemCall.Name) -> [Fault] {
        let plausible: [Int32] =
            switch call {
            case .openat: [EMFILE, EACCES, EROFS, ENOSPC, ESTALE, EIO, EINTR]
            case .pwrite: [ENOSPC, EIO, EDQUOT, EFBIG, EINTR, ESTALE]
            case .pread: [EIO, ESTALE, EINTR]
            case .fdatasync, .fsync: [EIO, ENOSPC, EDQUOT, ESTALE, EINTR]
            case .fallocate: [ENOSPC, EOPNOTSUPP, EFBIG, EDQUOT, EIO, EINTR]
            case .ftruncate: [EFBIG, EIO, EROFS, ENOSPC, ESTALE, EINTR]
            case .flock: [ENOLCK, EINTR, EIO, ESTALE]
            case .renameNoReplace, .linkat: [EINVAL, EIO, EACCES, EROFS, ENOSPC, EDQUOT, ESTALE]
            case .renameat, .unlinkat: [EIO, EACCES, EROFS, ENOSPC, EDQUOT, ESTALE]
            default: [EIO, EACCES, ESTALE, EINTR]
            }
        let all = [ENOSPC, EIO, EDQUOT, EFBIG, EACCES, EROFS, EINTR, ESTALE, EMFILE].filter { !plausible.contains($0) }
        let lengths: [Fault] =
            switch call {
            case .pwrite: [.short, .nothing]
            case .pread: [.short]
            default: []
            }
        return lengths + (plausible + all).map(Fault.error)
    }
}
