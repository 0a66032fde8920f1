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
    /// A download's folder, part file and journal.
    private static let perDownload = 3
    /// So many downloads that hold no connection find room in the reserve.
    private static let leastResting = 8

    /// Raises the soft limit to what so many connections need, and as many downloads that hold none, where it can be.
    ///
    /// - Parameter restingCount: Downloads without a connection that are wanted.
    /// - Returns: How many of those may be open, at most `restingCount`.
    /// - Throws: `other` where the hard limit is lower than what the connections need.
    static func raise(forConnections count: Int, resting restingCount: Int) throws(DownloadError) -> Int {
        let needed = rlim_t(count * perConnection + reserve)
        let wanted = needed + rlim_t(perDownload * restingCount)
        var limit = rlimit()
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < wanted else { return restingCount }
        let most = limit.rlim_max
        limit.rlim_cur = min(wanted, most)
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
        return min(restingCount, leastResting + Int(limit.rlim_cur - needed) / perDownload)
    }
}
