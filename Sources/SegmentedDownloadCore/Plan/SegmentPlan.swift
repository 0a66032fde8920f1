/// How a file of a known length is cut into fixed segments, `bytes=a-b` each; the last one may be shorter.
package struct SegmentPlan: Equatable, Sendable {
    /// The segment sizes that a user may choose, in bytes.
    package static let segmentSizes: ClosedRange<Int64> = 64 * KiB...1 * GiB

    /// The file's length in bytes, at least 0.
    package let length: Int64
    /// The size of every segment but the last, in bytes, at least 1.
    package let segmentSize: Int64

    /// Makes a plan.
    ///
    /// - Parameters:
    ///   - length: The file's length in bytes; must not be negative.
    ///   - segmentSize: The fixed size in bytes; must be positive.
    package init(length: Int64, segmentSize: Int64) {
        precondition(length >= 0 && segmentSize > 0, "A plan needs a length and a segment size")
        self.length = length
        self.segmentSize = segmentSize
    }

    /// The number of segments; 0 for an empty file.
    package var segmentCount: Int {
        // Not (length + segmentSize - 1) / segmentSize: that overflows at the upper end.
        Int(length / segmentSize) + (length % segmentSize == 0 ? 0 : 1)
    }

    /// The bytes of one segment.
    package func byteRange(ofSegment index: Int) -> Range<Int64> {
        precondition(index >= 0 && index < segmentCount, "Segment index out of range")
        let start = Int64(index) * segmentSize
        return start..<start + min(segmentSize, length - start)
    }

    /// The bytes of consecutive segments.
    package func byteRange(ofSegments indices: Range<Int>) -> Range<Int64> {
        guard !indices.isEmpty else { return 0..<0 }
        return byteRange(ofSegment: indices.lowerBound)
            .lowerBound..<byteRange(ofSegment: indices.upperBound - 1).upperBound
    }

    /// The segment that holds the byte at `offset`, which must be below ``length``.
    package func segment(containing offset: Int64) -> Int {
        precondition(offset >= 0 && offset < length, "Offset out of range")
        return Int(offset / segmentSize)
    }

    /// The nearest segment boundary at or after `offset`; the end of the file counts as one.
    package func boundary(atOrAfter offset: Int64) -> Int64 {
        let remainder = offset % segmentSize
        guard remainder != 0 else { return min(offset, length) }
        let distance = segmentSize - remainder
        return distance > length - offset ? length : offset + distance
    }

    /// `byteCount` rounded up to whole segments, at least one, without overflow.
    package func wholeSegments(_ byteCount: Int64) -> Int64 {
        let count = max(1, byteCount / segmentSize + (byteCount % segmentSize > 0 ? 1 : 0))
        let (product, overflows) = count.multipliedReportingOverflow(by: segmentSize)
        return overflows ? .max : product
    }
}
