import SegmentedDownloadTestSupport

/// The test server, which does to each TCP connection what a script says; it has one file.
final class ScriptedServer: BenchServer {
    /// What is done with a run's requests.
    ///
    /// - Parameters:
    ///   - content: The file.
    ///   - before: The number of the last connection before the run: its own are the following ones.
    typealias Script = @Sendable (_ content: PatternContent, _ before: Int) -> Route

    private static let path = "/file"

    private let server: FaultServer
    private let script: Script
    private var takenCount = 0

    let clientPrefix: [String] = []

    init(_ script: @escaping Script) throws {
        server = try FaultServer([:])
        self.script = script
    }

    /// - Parameter bytesPerSecond: What each connection gets; `nil` sets no limit.
    convenience init(bytesPerSecond: Int64?) throws {
        try self.init { content, _ in Route(content) { $0.bytesPerSecond = bytesPerSecond } }
    }

    func serve(_ files: FileSet) throws -> Resource {
        guard files.count == 1 else { throw BenchError("The test server has one file.") }
        let content = PatternContent(seed: 1, length: files.byteCount)
        server.setRoute(Self.path, script(content, server.log.connectionCount))
        return Resource(url: server.url(Self.path), contents: ["file": content])
    }

    func takeRequests() throws -> [ServedRequest] {
        let records = try server.settledLog().requests
        defer { takenCount = records.count }
        return records.dropFirst(takenCount).map { record in
            ServedRequest(
                connection: Int64(record.connection),
                end: record.endedAt?.inSeconds ?? 0,
                bodyByteCount: record.bodyBytesSent
            )
        }
    }

    func stop() {
        server.stop()
    }
}
