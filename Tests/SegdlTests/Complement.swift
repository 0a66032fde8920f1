import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

/// What a journal recorded before a run, and so what the run has to ask for.
struct Complement {
    private let plan: SegmentPlan
    private let bitmap: SegmentBitmap

    init(of journal: JournalSnapshot) {
        plan = SegmentPlan(length: journal.header.length, segmentSize: journal.header.segmentSize)
        bitmap = journal.bitmap
    }

    /// Finished bytes.
    var finished: [Range<Int64>] { bitmap.runs(of: true).map { plan.byteRange(ofSegments: $0) } }

    /// How many bytes are finished.
    var finishedByteCount: Int64 { finished.reduce(0) { $0 + $1.upperBound - $1.lowerBound } }

    /// Expects that no byte of a finished segment is asked for and, where the run came to its end, each missing one.
    func expect(askedByGets requests: some Sequence<RequestRecord>, isComplete: Bool) throws {
        let asked = requests.filter { $0.method == "GET" }.compactMap(\.range)
        for range in finished {
            #expect(!asked.contains { $0.overlaps(range) }, "finished bytes are asked for again: \(range)")
        }
        guard isComplete else { return }
        for run in bitmap.runs(of: false) {
            let missing = plan.byteRange(ofSegments: run)
            var offset = missing.lowerBound
            while offset < missing.upperBound {
                let next = asked.filter { $0.contains(offset) }.map(\.upperBound).max()
                offset = try #require(next, "byte \(offset) is missing and was not asked for")
            }
        }
    }
}
