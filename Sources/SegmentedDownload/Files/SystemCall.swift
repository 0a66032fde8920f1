internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The one funnel that every system call on files goes through.
///
/// It retries after EINTR, reads errno before anything else can change it, and is the one place where a test can see,
/// fail, shorten or replace any call (``Interceptor``).
package enum SystemCall {
    /// The calls that go through the funnel, by their names in the manual.
    package enum Name: String, Sendable, CaseIterable {
        case close, dropCache, faccessat, fallocate, fdatasync, flock, fpathconf, fstat, fstatat, fstatfs, fstatvfs,
            fsync
        case ftruncate, futimens, linkat, lseek, mkdir, openat, pread, pwrite, read, renameat, renameNoReplace
        case startWriteBack, unlinkat
    }

    /// Makes a call, again and again while a signal interrupts it.
    ///
    /// Never inlined: what Swift puts between a call and a later read of errno (a release, a deallocation) stays
    /// outside of this function.
    ///
    /// - Parameters:
    ///   - name: Which call it is.
    ///   - fd: The descriptor that it is made on.
    ///   - arguments: What else it is given. Made only where a test looks on, so that it costs nothing else.
    ///   - body: The C call and nothing else; -1 is failure.
    /// - Returns: What the call returned.
    /// - Throws: errno after a failure.
    @inline(never)
    @discardableResult
    package static func call<Result: SignedInteger>(
        _ name: Name,
        _ fd: Int32,
        _ arguments: @autoclosure () -> Arguments = .none,
        _ body: () -> Result
    ) throws(Errno) -> Result {
        if isIntercepted {
            return Result(clamping: try intercepted(Attempt(name: name, fd: fd, arguments: arguments()), body))
        }
        while true {
            let result = body()
            guard result == -1 else { return result }
            let number = errno
            guard number == EINTR else { throw Errno(rawValue: number) }
        }
    }

    /// Closes a descriptor, once: after EINTR Linux has closed it already, and a second close(2) could hit a descriptor
    /// that another thread has opened meanwhile. Nothing is done about other errors either: what matters was synced.
    ///
    /// - Parameter fd: The descriptor.
    static func closeOnce(_ fd: Int32) {
        guard isIntercepted else {
            _ = close(fd)
            return
        }
        interceptedOnce(Attempt(name: .close, fd: fd, arguments: .none)) { close(fd) }
    }
}
