import Foundation
import SegmentedDownloadCore

/// How much of its file a journal has as finished, in bytes: 0 where there is no journal that can be read.
func finishedByteCount(journalPath: String) -> Int64 {
    guard let data = FileManager.default.contents(atPath: journalPath) else { return 0 }
    let pages = stride(from: 0, to: data.count, by: JournalLayout.pageByteCount).map { start in
        [UInt8](data[start..<min(start + JournalLayout.pageByteCount, data.count)])
    }
    guard let first = pages.first, let header = try? JournalHeader(decoding: first) else { return 0 }
    var bitmap = SegmentBitmap(count: header.segmentCount)
    var damagedBlockCount = 0
    for group in 0..<JournalLayout.groupCount(segmentCount: header.segmentCount) {
        _ = JournalGroup(
            number: group,
            decoding: (page(1 + 2 * group), page(2 + 2 * group)),
            id: header.id,
            into: &bitmap,
            damagedBlockCount: &damagedBlockCount
        )
    }
    func page(_ number: Int) -> [UInt8] { number < pages.count ? pages[number] : [] }
    return bitmap.runs(of: true).reduce(0) { count, run in
        let end = min(Int64(run.upperBound) * header.segmentSize, header.length)
        return count + end - Int64(run.lowerBound) * header.segmentSize
    }
}
