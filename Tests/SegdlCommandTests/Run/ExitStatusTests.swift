import SegdlCommand
import SegmentedDownload
import Testing

struct ExitStatusTests {
    @Test func `every kind of failure has its status`() {
        let table: [DownloadError.Kind: Int32] = [
            .other: 1, .cancelled: 1, .usage: 2, .localFile: 3, .network: 4, .tls: 5, .authentication: 6, .protocol: 7,
            .server: 8, .checksum: 9,
        ]
        for kind in DownloadError.Kind.allCases { #expect(kind.exitStatus == table[kind]) }
    }
}
