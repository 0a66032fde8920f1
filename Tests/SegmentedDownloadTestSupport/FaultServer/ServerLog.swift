/// What a ``FaultServer`` has seen and done so far.
package struct ServerLog: Sendable {
    /// All requests, in the order in which their heads were read.
    package internal(set) var requests: [RequestRecord] = []
    /// TCP connections accepted so far.
    package internal(set) var connectionCount = 0
    /// Connections that are open now.
    package internal(set) var openConnectionCount = 0
    /// The most that were open at once.
    package internal(set) var maximumConcurrentConnections = 0
    /// Requests that are being answered now.
    package internal(set) var requestsUnderWay = 0
    /// The most that were being answered at once.
    package internal(set) var maximumConcurrentRequests = 0
    /// Requests that stall or wait in silence now, and go on with the next ``FaultServer/release()``.
    package internal(set) var stalledCount = 0
    /// Connections beyond the server's own limit, which were reset at once.
    package internal(set) var refusedConnectionCount = 0
    /// Body bytes that the kernel has taken, over all requests.
    package internal(set) var bytesSent: Int64 = 0
    /// Sentences about what went wrong in the server itself, or was no HTTP.
    package internal(set) var failures: [String] = []

    /// The requests for one path.
    package func requests(for path: String) -> [RequestRecord] {
        requests.filter { $0.path == path }
    }
}
