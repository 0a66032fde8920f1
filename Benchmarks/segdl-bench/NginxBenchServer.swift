import Foundation
import SegmentedDownloadTestSupport

/// nginx, as it serves files: on loopback, or on the server's host of `netlab`.
final class NginxBenchServer: BenchServer {
    private let workplace: Workplace
    private let isWide: Bool
    private let isSecure: Bool
    private let nginx: NginxServer
    private var takenCount = 0

    let clientPrefix: [String]

    /// - Parameters:
    ///   - workplace: Where to work.
    ///   - wide: The emulated link that it stands behind, which is made, and needs root; `nil` for loopback.
    ///   - isSecure: Whether files are served by HTTPS, with a certificate that nobody trusts.
    /// - Throws: A sentence where the server, or the link, can't be made.
    init(_ workplace: Workplace, wide: WideLink? = nil, isSecure: Bool = false) throws {
        self.workplace = workplace
        self.isSecure = isSecure
        isWide = wide != nil
        clientPrefix = isWide ? [workplace.netlab, "client"] : []
        if let wide {
            try wide.make(workplace)
            nginx = try NetworkNamespace(name: "netlab-server").run {
                try NginxServer(in: workplace.scratch, address: "10.88.0.1")
            }
        } else {
            nginx = try NginxServer(in: workplace.scratch)
        }
    }

    func serve(_ files: FileSet) throws -> Resource {
        guard files.count > 1 else {
            let content = try make("\(files.byteCount)", seed: 1, byteCount: files.byteCount)
            return Resource(url: url("\(files.byteCount)"), contents: ["file": content])
        }
        let names = (1...files.count).map { "small-\($0)" }
        var contents: [String: PatternContent] = [:]
        for (index, name) in names.enumerated() {
            contents[name] = try make(name, seed: UInt64(index + 1), byteCount: files.byteCount)
        }
        let list = workplace.scratch + "/list"
        try write(names.map { url($0) + "\n" }.joined(), toFileAt: list)
        return Resource(url: list, contents: contents)
    }

    private func url(_ name: String) -> String { isSecure ? nginx.secureURL("/\(name)") : nginx.url("/\(name)") }

    /// Once written it stays in the page cache.
    private func make(_ name: String, seed: UInt64, byteCount: Int64) throws -> PatternContent {
        let content = PatternContent(seed: seed, length: byteCount)
        let file = "\(nginx.root)/\(name)"
        if !FileManager.default.fileExists(atPath: file) { try content.write(toFileAt: file) }
        return content
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
