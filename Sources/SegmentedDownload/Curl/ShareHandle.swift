internal import CSegdlShims

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// What the easy handles of all workers share: DNS answers and TLS sessions, one lock a kind of data, so that 8
/// connections cost one look-up and one full handshake. Cookies and connections can't be shared between threads
/// (libcurl-share(3), 7.88).
///
/// A handshake more is a full one where it begins after one that resumed has ended, and before the server's next ticket has
/// come: OpenSSL lets a TLS 1.3 session be used no more then. On a near server a connection of ten may be hit, which costs
/// a millisecond of its processor and no round trip.
///
/// Sendable: libcurl takes the locks below around every use of the shared data.
final class ShareHandle: @unchecked Sendable {
    /// `CURLSH *`; closed after the last easy handle that uses it.
    let pointer: UnsafeMutableRawPointer
    private let locks: UnsafeMutablePointer<pthread_mutex_t>
    private static let lockCount = Int(CURL_LOCK_DATA_LAST.rawValue)

    init() throws(CurlError) {
        guard let share = curl_share_init() else { throw CurlError(CURLE_OUT_OF_MEMORY) }
        pointer = share
        locks = .allocate(capacity: Self.lockCount)
        for index in 0..<Self.lockCount { pthread_mutex_init(locks + index, nil) }
        let codes = [
            segdl_share_set_context(share, locks),
            segdl_share_set_lock(share) { _, data, _, context in
                ShareHandle.lock(data, context).map { _ = pthread_mutex_lock($0) }
            },
            segdl_share_set_unlock(share) { _, data, context in
                ShareHandle.lock(data, context).map { _ = pthread_mutex_unlock($0) }
            },
            segdl_share_share(share, CURL_LOCK_DATA_DNS),
            segdl_share_share(share, CURL_LOCK_DATA_SSL_SESSION),
        ]
        guard codes.allSatisfy({ $0 == CURLSHE_OK }) else { throw CurlError(CURLE_FAILED_INIT) }
    }

    private static func lock(
        _ data: curl_lock_data,
        _ context: UnsafeMutableRawPointer?
    ) -> UnsafeMutablePointer<pthread_mutex_t>? {
        context.map { $0.assumingMemoryBound(to: pthread_mutex_t.self) + Int(data.rawValue) }
    }

    deinit {
        curl_share_cleanup(pointer)
        for index in 0..<Self.lockCount { pthread_mutex_destroy(locks + index) }
        locks.deallocate()
    }
}
