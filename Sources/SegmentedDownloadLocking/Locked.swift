#if canImport(Darwin)
    public import Darwin
#elseif canImport(Musl)
    public import Musl
#else
    public import Glibc
#endif

/// A value behind a lock.
///
/// pthread_mutex_t and not `Synchronization.Mutex`: on Linux that is a futex of the standard library's own, which the
/// thread sanitizer does not see, so that it reports everything that is guarded (Swift 6.3.1). As a class it can be
/// captured by closures that outlive the scope that it was made in.
///
/// Public and inlinable, though nothing outside of this package sees it: only so do other modules get code of their own
/// for their types (Swift 6.3.1), which need no description made at run time.
///
/// Sendable: the value is reached only with the lock held, and what goes in or comes out is `sending`.
public final class Locked<Value>: @unchecked Sendable {
    @usableFromInline var value: Value
    /// At an address of its own: a lock must not move.
    @usableFromInline let lock: UnsafeMutablePointer<pthread_mutex_t>

    /// Puts a value behind a lock of its own.
    @inlinable
    public init(_ value: sending Value) {
        self.value = value
        lock = .allocate(capacity: 1)
        lock.initialize(to: pthread_mutex_t())
        let code = pthread_mutex_init(lock, nil)
        precondition(code == 0, "A default mutex needs no resource that could be missing")
    }

    @inlinable
    deinit {
        pthread_mutex_destroy(lock)
        lock.deinitialize(count: 1)
        lock.deallocate()
    }

    /// Runs a body with the lock held. Not reentrant.
    @inlinable
    public func withLock<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return try body(&value)
    }
}
