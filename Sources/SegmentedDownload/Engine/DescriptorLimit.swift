#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// The process's limit of open descriptors; setrlimit(2).
enum DescriptorLimit {
    /// While it looks a name up, a connection has a socket pair beside its socket (libcurl's threaded resolver).
    private static let perConnection = 3
    /// Files, the workers' wake-up sockets, the standard streams, and what a program around the library has open.
    private static let reserve = 64

    /// Raises the soft limit to what so many connections need.
    ///
    /// - Throws: `other` where the hard limit is lower.
    static func raise(forConnections count: Int) throws(DownloadError) {
        let needed = rlim_t(count * perConnection + reserve)
        var limit = rlimit()
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < needed else { return }
        let most = limit.rlim_max
        limit.rlim_cur = min(needed, most)
        guard most >= needed, setrlimit(resource, &limit) == 0 else {
            let affordable = max(0, Int(clamping: most) - reserve) / perConnection
            throw DownloadError(
                .other,
                """
                \(count) connections need \(needed) open files, and this process may have \(most): \
                use at most \(max(1, affordable)) connections, or raise the limit (ulimit -Hn).
                """
            )
        }
    }
}
