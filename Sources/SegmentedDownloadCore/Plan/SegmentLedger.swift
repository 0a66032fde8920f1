/// Which bytes of the file are written: whole segments as bits, and what partly written ones still miss.
///
/// A segment is finished when its last byte was handed to the kernel (`pwrite` returned), never earlier. Ranges that
/// are reported never overlap within one ledger, since no two leases do.
package struct SegmentLedger: Sendable {
    /// The plan whose segments are counted.
    package let plan: SegmentPlan
    /// One bit a segment: finished or not.
    package private(set) var finished: SegmentBitmap
    /// Bytes in finished segments.
    package private(set) var finishedByteCount: Int64
    /// The first segment that is not finished.
    private var frontier = 0
    /// What segments miss that are written in part: disjoint ranges, ascending. A segment has as many as leases cut it,
    /// which is one or two.
    private var partlyMissing: [Int: [Range<Int64>]] = [:]
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

    /// The byte ranges that are not written, from the start of the file to its end; no two of them touch.
    package var missingRanges: [Range<Int64>] {
        var ranges: [Range<Int64>] = []
        var parts = partlyMissing.sorted { $0.key < $1.key }[...]
        for run in finished.runs(of: false) {
            let bytes = plan.byteRange(ofSegments: run)
            var start = bytes.lowerBound
            while let part = parts.first, part.key < run.upperBound {
                parts.removeFirst()
                let segment = plan.byteRange(ofSegment: part.key)
                for range in [start..<segment.lowerBound] + part.value { ranges.appendJoining(range) }
                start = segment.upperBound
            }
            ranges.appendJoining(start..<bytes.upperBound)
        }
        return ranges
    }

    /// The byte ranges that are written, from the start of the file to its end: finished segments, and parts of others.
    package var heldRanges: [Range<Int64>] {
        var ranges: [Range<Int64>] = []
        var start: Int64 = 0
        for missing in missingRanges {
            ranges.appendJoining(start..<missing.lowerBound)
            start = missing.upperBound
        }
        ranges.appendJoining(start..<plan.length)
        return ranges
    }

    /// Bytes that are written, in finished segments and in others.
    package var heldByteCount: Int64 {
        partlyMissing.reduce(finishedByteCount) { total, part in
            let segment = plan.byteRange(ofSegment: part.key)
            return part.value.reduce(total + segment.upperBound - segment.lowerBound) {
                $0 - ($1.upperBound - $1.lowerBound)
            }
        }
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
            count(offset..<end, of: segment, index)
            offset = end
        }
    }

    private mutating func count(_ written: Range<Int64>, of segment: Range<Int64>, _ index: Int) {
        guard !finished[index] else { return }
        // Most writes are whole segments, for which nothing need be kept.
        guard written == segment && partlyMissing[index] == nil || isCompleted(index, segment, by: written) else {
            return
        }
        finished[index] = true
        finishedByteCount += segment.upperBound - segment.lowerBound
        if index == frontier { frontier = finished.firstIndex(of: false, from: index) ?? finished.count }
        fresh.append(index)
    }

    /// Takes written bytes out of what a segment misses.
    ///
    /// - Returns: Whether nothing is left.
    private mutating func isCompleted(_ index: Int, _ segment: Range<Int64>, by written: Range<Int64>) -> Bool {
        var missing = partlyMissing[index] ?? [segment]
        let place = missing.firstIndex { $0.lowerBound <= written.lowerBound && written.upperBound <= $0.upperBound }
        guard let place else { preconditionFailure("A byte was written twice") }
        let range = missing[place]
        let rest = [range.lowerBound..<written.lowerBound, written.upperBound..<range.upperBound]
        missing.replaceSubrange(place...place, with: rest.filter { !$0.isEmpty })
        partlyMissing[index] = missing.isEmpty ? nil : missing
        return missing.isEmpty
    }

    /// Forgets what was written of segments that are not finished: their bytes are written anew.
    package mutating func forgetUnfinished() {
        partlyMissing = [:]
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

extension [Range<Int64>] {
    /// Appends a range that lies behind all others: joined with the last one where they touch, left out where it is empty.
    fileprivate mutating func appendJoining(_ range: Range<Int64>) {
        guard !range.isEmpty else { return }
        guard let last, last.upperBound == range.lowerBound else { return append(range) }
        self[count - 1] = last.lowerBound..<range.upperBound
    }
}
