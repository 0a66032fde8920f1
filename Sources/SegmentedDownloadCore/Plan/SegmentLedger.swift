/// Which bytes of the file are written: whole segments as bits, and how much partly written ones still miss.
///
/// A segment is finished when its last byte was handed to the kernel (`pwrite` returned), never earlier. Ranges that
/// are reported never overlap within one ledger, since no two leases do: counting bytes is enough.
package struct SegmentLedger: Sendable {
    /// The plan whose segments are counted.
    package let plan: SegmentPlan
    /// One bit a segment: finished or not.
    package private(set) var finished: SegmentBitmap
    /// Bytes in finished segments.
    package private(set) var finishedByteCount: Int64
    /// The first segment that is not finished.
    private var frontier = 0
    private var missingByteCounts: [Int: Int64] = [:]
    private var fresh: [Int] = []

    /// A ledger that begins with the segments that a journal has.
    package init(plan: SegmentPlan, finished: SegmentBitmap) {
        precondition(finished.count == plan.segmentCount, "A ledger's bitmap has one bit a segment")
        self.plan = plan
        self.finished = finished
        finishedByteCount = finished.runs(of: true).reduce(0) { total, run in
            let bytes = plan.byteRange(ofSegments: run)
            return total + bytes.upperBound - bytes.lowerBound
        }
        frontier = finished.firstIndex(of: false) ?? finished.count
    }

    /// Bytes from the start of the file up to the first that may be missing.
    package var contiguousByteCount: Int64 {
        frontier < finished.count ? plan.byteRange(ofSegment: frontier).lowerBound : plan.length
    }

    /// Whether every segment is finished.
    package var isComplete: Bool { finishedByteCount == plan.length }

    /// The byte ranges that are not finished, from the start of the file to its end.
    package var missingRanges: [Range<Int64>] {
        finished.runs(of: false).map { plan.byteRange(ofSegments: $0) }
    }

    /// The byte ranges that are finished, from the start of the file to its end.
    package var finishedRanges: [Range<Int64>] {
        finished.runs(of: true).map { plan.byteRange(ofSegments: $0) }
    }

    /// Counts bytes whose `pwrite` has returned.
    ///
    /// - Parameter range: Bytes of the file, none of which was counted before.
    package mutating func wrote(_ range: Range<Int64>) {
        var offset = range.lowerBound
        while offset < range.upperBound {
            let index = plan.segment(containing: offset)
            let segment = plan.byteRange(ofSegment: index)
            let end = min(segment.upperBound, range.upperBound)
            count(end - offset, inSegment: index, of: segment.upperBound - segment.lowerBound)
            offset = end
        }
    }

    private mutating func count(_ byteCount: Int64, inSegment index: Int, of size: Int64) {
        guard !finished[index] else { return }
        let missing = missingByteCounts[index, default: size] - byteCount
        precondition(missing >= 0, "A byte was written twice")
        guard missing == 0 else {
            missingByteCounts[index] = missing
            return
        }
        missingByteCounts[index] = nil
        finished[index] = true
        finishedByteCount += size
        if index == frontier { frontier = finished.firstIndex(of: false, from: index) ?? finished.count }
        fresh.append(index)
    }

    /// Forgets what was counted in segments that are not finished: their bytes are written anew.
    package mutating func forgetUnfinished() {
        missingByteCounts = [:]
    }

    /// Segments that were finished since the last call, in the order in which they were.
    package mutating func takeFreshlyFinished() -> [Int] {
        defer { fresh.removeAll(keepingCapacity: true) }
        return fresh
    }

    /// How many of the bytes in `range` lie in finished segments.
    package func finishedByteCount(in range: Range<Int64>) -> Int64 {
        guard !range.isEmpty else { return 0 }
        let first = plan.segment(containing: range.lowerBound)
        let last = plan.segment(containing: range.upperBound - 1)
        guard first < last else { return finishedByteCount(in: range, ofSegment: first) }
        // A display asks ten times a second, of up to millions of segments: 64 at once, not one by one.
        return finishedByteCount(in: range, ofSegment: first)
            + Int64(finished.finishedCount(in: first + 1..<last)) * plan.segmentSize
            + finishedByteCount(in: range, ofSegment: last)
    }

    private func finishedByteCount(in range: Range<Int64>, ofSegment index: Int) -> Int64 {
        guard finished[index] else { return 0 }
        let overlap = plan.byteRange(ofSegment: index).clamped(to: range)
        return overlap.upperBound - overlap.lowerBound
    }
}

extension SegmentLedger {
    /// How much of the file is finished, in equal cells from its start to its end, each 0 to 1.
    ///
    /// - Parameter cellCount: The number of cells; more than there are bytes give fewer cells, and 0 gives none.
    package func map(cellCount: Int) -> [Double] {
        let count = min(Int64(max(cellCount, 0)), plan.length)
        guard count > 0 else { return [] }
        // Not plan.length * index / count, which overflows for long files.
        let (size, rest) = plan.length.quotientAndRemainder(dividingBy: count)
        var cells: [Double] = []
        var start: Int64 = 0
        for index in 0..<count {
            let end = start + size + (index < rest ? 1 : 0)
            cells.append(Double(finishedByteCount(in: start..<end)) / Double(end - start))
            start = end
        }
        return cells
    }
}
