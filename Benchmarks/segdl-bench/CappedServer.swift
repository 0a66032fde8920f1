import SegmentedDownloadTestSupport

/// The test server, with a token bucket for each TCP connection.
final class CappedServer: BenchServer {
    private static let path = "/file"

    private let server: FaultServer
    private let bytesPerSecond: Int64?
    private var takenCount = 0

    let clientPrefix: [String] = []

    /// - Parameter bytesPerSecond: What each connection gets; `nil` sets no limit.
    init(bytesPerSecond: Int64?) throws {
        self.bytesPerSecond = bytesPerSecond
        server = try FaultServer([:])
    }

    func serve(byteCount: Int64) throws -> Resource {
        let content = PatternContent(seed: 1, length: byteCount)
        server.setRoute(Self.path, Route(content) { $0.bytesPerSecond = bytesPerSecond })
        return Resource(url: server.url(Self.path), content: content)
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
