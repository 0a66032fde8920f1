extension SegmentBitmap {
    /// The longest ranges of consecutive equal bits, from the lowest segment up.
    ///
    /// - Parameter value: `true` for runs of finished segments, `false` for runs of missing ones.
    /// - Returns: A lazy sequence of ranges that are not empty; two never touch.
    package func runs(of value: Bool) -> Runs {
        Runs(bitmap: self, value: value)
    }

    /// See ``SegmentBitmap/runs(of:)``.
    package struct Runs: Sequence, IteratorProtocol {
        let bitmap: SegmentBitmap
        let value: Bool
        var position = 0

        /// The next run; `nil` behind the last.
        package mutating func next() -> Range<Int>? {
            guard let start = bitmap.firstIndex(of: value, from: position) else { return nil }
            let end = bitmap.firstIndex(of: !value, from: start) ?? bitmap.count
            position = end
            return start..<end
        }
    }

    /// The lowest segment, at or above a place, that has a value. Looks at 64 segments at a time.
    ///
    /// - Parameters:
    ///   - value: `true` looks for a finished segment, `false` for a missing one.
    ///   - start: Where to begin, 0 up to ``count``.
    /// - Returns: `nil` where there is none.
    package func firstIndex(of value: Bool, from start: Int = 0) -> Int? {
        guard start < count else { return nil }
        var wordIndex = start / 64
        var mask = UInt64.max << UInt64(start % 64)
        while wordIndex < words.count {
            let candidates = (value ? words[wordIndex] : ~words[wordIndex]) & segmentMask(ofWord: wordIndex) & mask
            if candidates != 0 {
                return wordIndex * 64 + candidates.trailingZeroBitCount
            }
            mask = .max
            wordIndex += 1
        }
        return nil
    }
}
