import Foundation
package import SegmentedDownloadCore

/// What a journal on the disk records, read as a stranger would: without its part file.
package struct JournalSnapshot {
    /// What the bits are segments of.
    package let header: JournalHeader
    /// The segments that are finished.
    package let bitmap: SegmentBitmap

    /// Reads a journal; `nil` where there is none that can be read.
    package init?(path: String) {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        self.init(bytes: [UInt8](data))
    }

    /// Reads a journal's bytes; `nil` where they are none that can be read.
    package init?(bytes: [UInt8]) {
        let size = JournalLayout.pageByteCount
        func page(_ number: Int) -> [UInt8] { Array(bytes.dropFirst(number * size).prefix(size)) }
        guard let header = try? JournalHeader(decoding: page(0)) else { return nil }
        var bitmap = SegmentBitmap(count: header.segmentCount)
        var damage = JournalDamage()
        for group in 0..<JournalLayout.groupCount(segmentCount: header.segmentCount) {
            _ = JournalGroup(
                number: group,
                decoding: (page(1 + 2 * group), page(2 + 2 * group)),
                id: header.id,
                into: &bitmap,
                damage: &damage
            )
        }
        self.header = header
        self.bitmap = bitmap
    }

    /// The bytes of finished segments.
    package var finishedByteCount: Int64 {
        bitmap.runs(of: true).reduce(0) { count, run in
            let end = min(Int64(run.upperBound) * header.segmentSize, header.length)
            return count + end - Int64(run.lowerBound) * header.segmentSize
        }
    }
}
