import SegmentedDownloadTestSupport

/// A server at the far end of a ``Link``.
protocol BenchServer {
    /// What a command on the client's side is started by: nothing, or what brings it into the client's namespace.
    var clientPrefix: [String] { get }

    /// Makes files available, for one run.
    ///
    /// - Returns: Where, and what they consist of.
    /// - Throws: A sentence where they can't be made, or where the server has one file only.
    func serve(_ files: FileSet) throws -> Resource

    /// The requests that ended since the last call, as soon as none is under way.
    func takeRequests() throws -> [ServedRequest]

    /// Ends the server and removes what it made.
    func stop()
}

/// What a download asks for.
struct Resource {
    /// The file's URL; of several files, the path of a text that has their URLs, one a line.
    var url: String
    /// By the names that they are fetched under.
    var contents: [String: PatternContent]
}

/// One request as its server saw it.
struct ServedRequest {
    /// Tells the server's TCP connections apart.
    var connection: Int64
    /// When the last byte of the answer had been given to the kernel, in seconds since some moment.
    var end: Double
    /// Bytes of the body that had been given to the kernel.
    var bodyByteCount: Int64
}

/// Requests of one download.
extension [ServedRequest] {
    /// Body bytes in all.
    var bodyByteCount: Int64 { reduce(0) { $0 + $1.bodyByteCount } }

    /// What was lost since not all connections were busy to the end.
    ///
    /// - Parameter connections: How many connections were asked for. Ones that were closed early and replaced are left
    ///   out: of all TCP connections the last so many count.
    /// - Returns: The last byte's time minus the mean time at which the connections ended, in seconds.
    func tail(connections: Int) -> Double {
        let ends = Dictionary(grouping: self, by: \.connection)
            .values.compactMap { $0.map(\.end).max() }
            .sorted().suffix(connections)
        guard let last = ends.last else { return 0 }
        return last - ends.reduce(0, +) / Double(ends.count)
    }
}
