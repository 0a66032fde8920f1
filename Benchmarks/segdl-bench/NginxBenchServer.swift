import Foundation
import SegmentedDownloadTestSupport

/// nginx, as it serves large files: on loopback, or on the server's host of `netlab`.
final class NginxBenchServer: BenchServer {
    private let workplace: Workplace
    private let isWide: Bool
    private let nginx: NginxServer
    private var takenCount = 0

    let clientPrefix: [String]

    /// The options that make `segdl` trust the server's certificate.
    var trustOptions: [String] { ["--cacert=\(nginx.authorityPath)"] }

    /// - Parameters:
    ///   - workplace: Where to work.
    ///   - isWide: Behind the emulated link, which is made, and needs root.
    /// - Throws: A sentence where the server, or the link, can't be made.
    init(_ workplace: Workplace, isWide: Bool = false) throws {
        self.workplace = workplace
        self.isWide = isWide
        clientPrefix = isWide ? [workplace.netlab, "client"] : []
        if isWide {
            // One way, in ms; no rate cap; a queue for what one round trip carries, in KiB; no loss.
            try run([workplace.netlab, "up", "50", "0", "65536", "0"])
            nginx = try NetworkNamespace(name: "netlab-server").run {
                try NginxServer(in: workplace.scratch, address: "10.88.0.1")
            }
        } else {
            nginx = try NginxServer(in: workplace.scratch)
        }
    }

    func serve(byteCount: Int64) throws -> Resource {
        try serve(byteCount: byteCount, isSecure: false)
    }

    /// Makes a resource of this length available.
    ///
    /// - Parameters:
    ///   - byteCount: Its length.
    ///   - isSecure: By HTTPS.
    /// - Returns: Its URL, and what it consists of.
    /// - Throws: A sentence where the file can't be written.
    func serve(byteCount: Int64, isSecure: Bool) throws -> Resource {
        let content = PatternContent(seed: 1, length: byteCount)
        let file = "\(nginx.root)/\(byteCount)"
        // Once written it stays in the page cache.
        if !FileManager.default.fileExists(atPath: file) { try content.write(toFileAt: file) }
        let path = "/\(byteCount)"
        return Resource(url: isSecure ? nginx.secureURL(path) : nginx.url(path), content: content)
    }

    /// nginx enters a request when it has ended, which after a client's death is when its reset has come: the log has to
    /// stand still for longer than a round trip.
    func takeRequests() throws -> [ServedRequest] {
        var count = -1
        var entries = try nginx.accessLog()
        while entries.count != count {
            count = entries.count
            usleep(isWide ? 300_000 : 50_000)
            entries = try nginx.accessLog()
        }
        defer { takenCount = count }
        return entries.dropFirst(takenCount).map { entry in
            ServedRequest(connection: entry.connection, end: entry.endedAt, bodyByteCount: entry.bodyBytesSent)
        }
    }

    func stop() {
        nginx.stop()
        if isWide { _ = try? run([workplace.netlab, "down"]) }
    }
}
