import Foundation
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

@Suite(.enabled(if: NginxServer.missing == nil, "\(NginxServer.missing ?? "")")) struct NginxRequestTests {
    @Test("A request size of one segment asks nginx for each segment once", arguments: [false, true])
    func requestSize(isSecure: Bool) throws {
        let nginx = try NginxServer()
        defer { nginx.stop() }
        let content = try nginx.makeFile("file", length: 20 * MiB + 7, seed: 3)
        let segdl = try SegdlBinary()
        let url = isSecure ? nginx.secureURL("/file") : nginx.url("/file")
        let sizes = ["-s", "1M", "--request-size", "1M", "-j", "8"]
        let result = try segdl.run(sizes + ["--cacert", nginx.authorityPath, url])
        #expect(result.end == .exit(0), "\(result.standardError)")
        #expect(try content.matches(fileAt: segdl.folder.path("file")))
        let log = try nginx.accessLog { $0.count >= 22 }
        let plan = SegmentPlan(length: content.length, segmentSize: 1 * MiB)
        let asked = log.compactMap(\.range).sorted { $0.lowerBound < $1.lowerBound }
        #expect(asked == (0..<plan.segmentCount).map { plan.byteRange(ofSegment: $0) })
        #expect(Set(log.map(\.connection)).count <= 8)
    }

    @Test("Permissions follow the umask", arguments: [("022", 0o644), ("027", 0o640), ("077", 0o600), ("002", 0o664)])
    func permissions(umask: String, expected: Int) throws {
        let nginx = try NginxServer(workers: 1)
        defer { nginx.stop() }
        try nginx.makeFile("file", length: 1 * MiB, seed: 4)
        let segdl = try SegdlBinary()
        #expect(try segdl.start(after: "umask \(umask)", ["-q", nginx.url("/file")]).wait().end == .exit(0))
        let attributes = try FileManager.default.attributesOfItem(atPath: segdl.folder.path("file"))
        #expect(attributes[.posixPermissions] as? Int == expected)
    }
}
