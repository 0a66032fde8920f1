/// Which segments of a file are finished, one bit a segment: memory stays at 1 bit a segment whatever the file's size.
///
/// The bits behind the last segment, in the last word, are always zero.
package struct SegmentBitmap: Equatable, Sendable {
    /// The number of segments.
    package let count: Int
    /// The bits, segment 0 in the lowest bit of the first word.
    package private(set) var words: [UInt64]
    /// The number of segments that are finished.
    package private(set) var finishedCount = 0

    /// Makes a bitmap in which nothing is finished.
    ///
    /// - Parameter count: The number of segments, 0 or more.
    package init(count: Int) {
        precondition(count >= 0, "a bitmap has no negative size")
        self.count = count
        words = [UInt64](repeating: 0, count: count / 64 + (count % 64 == 0 ? 0 : 1))
    }

    /// Whether every segment is finished. True for a bitmap without segments.
    package var isFull: Bool { finishedCount == count }

    /// Whether one segment is finished.
    ///
    /// - Parameter index: The segment, 0 up to ``count`` - 1.
    package subscript(index: Int) -> Bool {
        get {
            precondition(index >= 0 && index < count, "segment out of range")
            return words[index / 64] & (1 << UInt64(index % 64)) != 0
        }
        set {
            precondition(index >= 0 && index < count, "segment out of range")
            let mask: UInt64 = 1 << UInt64(index % 64)
            guard (words[index / 64] & mask != 0) != newValue else { return }
            words[index / 64] ^= mask
            finishedCount += newValue ? 1 : -1
        }
    }

    /// The bits of a word that stand for segments: all of them but in the last word.
    ///
    /// - Parameter wordIndex: Any number of 0 or more; a word behind the last one stands for nothing.
    /// - Returns: A 1 for each bit that stands for a segment.
    package func segmentMask(ofWord wordIndex: Int) -> UInt64 {
        guard wordIndex < words.count else { return 0 }
        let isPartial = wordIndex == words.count - 1 && count % 64 != 0
        return isPartial ? (1 << UInt64(count % 64)) - 1 : .max
    }

    /// How many segments of a range are finished. Looks at 64 at a time.
    ///
    /// - Parameter range: Segments, each 0 up to ``count`` - 1.
    package func finishedCount(in range: Range<Int>) -> Int {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "segment out of range")
        guard !range.isEmpty else { return 0 }
        let (first, last) = (range.lowerBound / 64, (range.upperBound - 1) / 64)
        let head = UInt64.max << UInt64(range.lowerBound % 64)
        let tail = UInt64.max >> UInt64(63 - (range.upperBound - 1) % 64)
        guard first < last else { return (words[first] & head & tail).nonzeroBitCount }
        let middle = words[first + 1..<last].reduce(0) { $0 + $1.nonzeroBitCount }
        return (words[first] & head).nonzeroBitCount + middle + (words[last] & tail).nonzeroBitCount
    }

    /// Replaces the bits of 64 segments at once.
    ///
    /// - Parameters:
    ///   - wordIndex: The index in ``words``.
    ///   - word: The new bits; none outside of ``segmentMask(ofWord:)``.
    package mutating func replaceWord(_ wordIndex: Int, with word: UInt64) {
        precondition(word & ~segmentMask(ofWord: wordIndex) == 0, "a bit behind the last segment")
        finishedCount += word.nonzeroBitCount - words[wordIndex].nonzeroBitCount
        words[wordIndex] = word
    }
}
