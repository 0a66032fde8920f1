import Foundation
import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

/// Real transfers around the numbers that 31 and 32 bits end at (wild.md 17: aria2#248).
@Suite struct LargeOffsetTests {
    private static let segmentSize = 1 * MiB

    @Test("Segments around 2 GiB and 4 GiB, and the last byte, go where they belong")
    func offsets() throws {
        let content = PatternContent(seed: 31, length: 1 << 32 + 1)
        let harness = try DownloadHarness()
        let plan = SegmentPlan(length: content.length, segmentSize: Self.segmentSize)
        let missing = [2047, 2048, 4094, 4095, 4096]
        try FaultServer.run(["/file": Route(content)]) { server in
            try leave(harness, url: server.url("/file"), plan, missing: missing)
            // Without syncs nobody asks for the bytes between, which were never there.
            let report = try harness.run(server.url("/file")) { $0.syncs = false }.get()
            #expect(report.length == content.length)
            #expect(report.receivedByteCount == 4 * Self.segmentSize + 1)
            let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: harness.folder.path("file")))
            for segment in missing {
                let range = plan.byteRange(ofSegment: segment)
                try file.seek(toOffset: UInt64(range.lowerBound))
                let bytes = try file.read(upToCount: range.count).map { [UInt8]($0) }
                #expect(bytes == content.bytes(in: range), "segment \(segment)")
            }
        }
    }

    /// A part file, sparse, whose journal has all but some segments.
    private func leave(_ harness: DownloadHarness, url: String, _ plan: SegmentPlan, missing: [Int]) throws {
        let names = FileNames(final: "file")
        let folder = try Folder.open(path: harness.folder.path, creating: false)
        let file = try PartFile.openLocked(in: folder, name: names.part)
        try file.truncate(to: plan.length)
        let header = try JournalHeader.new(
            url: url,
            length: plan.length,
            segmentSize: plan.segmentSize,
            strongETag: "\"pattern-31-\(plan.length)\"",
            lastModified: nil,
            mediaType: nil,
            partFile: file
        )
        var bitmap = SegmentBitmap(count: plan.segmentCount)
        for segment in 0..<plan.segmentCount where !missing.contains(segment) { bitmap[segment] = true }
        _ = try Journal.create(in: folder, names: names, header: header, bitmap: bitmap, syncs: false)
    }
}
