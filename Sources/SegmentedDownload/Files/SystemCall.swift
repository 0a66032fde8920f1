internal import SegmentedDownloadLocking
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
/// or fail, any call.
package enum SystemCall {
    /// The calls that go through the funnel, by their names in the manual.
    package enum Name: String, Sendable, CaseIterable {
        case close, fallocate, fdatasync, flock, fstat, fstatat, fstatvfs, fsync, ftruncate, futimens, linkat, mkdir
        case lseek, openat, pread, pwrite, read, renameat, renameNoReplace, startWriteBack, unlinkat
    }

    /// Sees each call before it is made, with the descriptor that it is made on (a folder's for the `at` calls), and
    /// fails it with the error that it returns.
    package typealias Interceptor = @Sendable (_ name: Name, _ fd: Int32) -> Errno?

    private static let interceptors = Locked<[Int: Interceptor]>([:])
    /// What ``interceptors`` holds, so that a call outside of tests costs one relaxed load and no lock.
    private static let interceptorCount = Atomic<Int>(0)

    /// Makes a call, again and again while a signal interrupts it.
    ///
    /// Never inlined: what Swift puts between a call and a later read of errno (a release, a deallocation) stays
    /// outside of this function.
    ///
    /// - Parameters:
    ///   - name: Which call it is.
    ///   - fd: The descriptor that it is made on.
    ///   - body: The C call and nothing else; -1 is failure.
    /// - Returns: What the call returned.
    /// - Throws: errno after a failure.
    @inline(never)
    @discardableResult
    package static func call<Result: SignedInteger>(
        _ name: Name,
        _ fd: Int32,
        _ body: () -> Result
    ) throws(Errno) -> Result {
        if interceptorCount.load(ordering: .relaxed) != 0, let error = intercept(name, fd) {
            throw error
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
        if interceptorCount.load(ordering: .relaxed) != 0 { _ = intercept(.close, fd) }
        _ = close(fd)
    }

    /// Runs a body with an interceptor in place, for tests. Interceptors see the calls of all threads.
    ///
    /// - Parameters:
    ///   - interceptor: Told about each call.
    ///   - body: What to run meanwhile.
    /// - Returns: What the body returned.
    package static func withInterceptor<Result>(
        _ interceptor: @escaping Interceptor,
        _ body: () throws -> Result
    ) rethrows -> Result {
        let key = interceptors.withLock { registered in
            let key = (registered.keys.max() ?? 0) + 1
            registered[key] = interceptor
            return key
        }
        interceptorCount.add(1, ordering: .relaxed)
        defer {
            interceptorCount.subtract(1, ordering: .relaxed)
            interceptors.withLock { registered in
                registered[key] = nil
            }
        }
        return try body()
    }

    private static func intercept(_ name: Name, _ fd: Int32) -> Errno? {
        // Called with no lock held: an interceptor may make calls itself, or wait.
        for interceptor in interceptors.withLock({ Array($0.values) }) {
            if let error = interceptor(name, fd) { return error }
        }
        return nil
    }
}
