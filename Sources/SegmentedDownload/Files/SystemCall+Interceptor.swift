internal import SegmentedDownloadLocking
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

// The seam for tests: outside of them it costs one relaxed load a call.
extension SystemCall {
    /// What a call is given besides its descriptor, as far as tests want to know.
    package enum Arguments {
        /// Nothing, or nothing that matters.
        case none
        /// A name or path.
        case name(String)
        /// A name or path, and `O_` flags.
        case opening(String, flags: Int32)
        /// The old name and the new one.
        case names(String, String)
        /// The bytes to write, and where. Valid only during the call.
        case writing(UnsafeRawBufferPointer, at: Int64)
        /// Where to read to, and from where. Valid only during the call.
        case reading(UnsafeMutableRawBufferPointer, at: Int64)
        /// A size in bytes.
        case size(Int64)
    }

    /// One attempt to make a call; after EINTR there is another one.
    package struct Attempt {
        /// Which call it is.
        package let name: Name
        /// The descriptor that it is made on: a folder's, or `AT_FDCWD`, for the `at` calls.
        package let fd: Int32
        /// What else it is given.
        package let arguments: Arguments
    }

    /// Stands around each attempt to make a call, and decides what comes of it: `proceed` makes the call, and returns
    /// its result or throws its errno. An interceptor may look at it before and after, throw an error in its place, or
    /// make another call instead, for instance one that writes less.
    package typealias Interceptor =
        @Sendable (_ attempt: Attempt, _ proceed: () throws(Errno) -> Int) throws(Errno) -> Int

    private static let interceptors = Locked<[Int: Interceptor]>([:])
    /// How many ``interceptors`` there are.
    private static let interceptorCount = Atomic<Int>(0)

    static var isIntercepted: Bool { interceptorCount.load(ordering: .relaxed) != 0 }

    /// Runs a body with an interceptor in place, for tests. It sees the calls of all threads, and so of all tests: it
    /// lets those alone that are none of its business. Interceptors of several tests stand around each other.
    ///
    /// - Parameters:
    ///   - interceptor: Stands around each call.
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

    /// As the loop of ``call(_:_:_:_:)``, with each attempt in the hands of the interceptors.
    static func intercepted(_ attempt: Attempt, _ body: () -> some SignedInteger) throws(Errno) -> Int {
        while true {
            switch interceptedOnce(attempt, body) {
            case .success(let result): return result
            case .failure(let error) where error.rawValue == EINTR: continue
            case .failure(let error): throw error
            }
        }
    }

    @discardableResult
    static func interceptedOnce(_ attempt: Attempt, _ body: () -> some SignedInteger) -> Swift.Result<Int, Errno> {
        // Called with no lock held: an interceptor may make calls itself, or wait.
        let chain = interceptors.withLock { Array($0.values) }
        do throws(Errno) {
            return .success(try pass(attempt, through: chain[...], body))
        } catch {
            return .failure(error)
        }
    }

    private static func pass(
        _ attempt: Attempt,
        through chain: ArraySlice<Interceptor>,
        _ body: () -> some SignedInteger
    ) throws(Errno) -> Int {
        guard let interceptor = chain.first else {
            let result = body()
            let number = errno
            guard result != -1 else { throw Errno(rawValue: number) }
            return Int(clamping: result)
        }
        return try interceptor(attempt) { () throws(Errno) in
            try pass(attempt, through: chain.dropFirst(), body)
        }
    }
}
