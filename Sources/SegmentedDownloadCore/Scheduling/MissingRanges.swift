/// The bytes that nobody fetches yet: disjoint ranges, given out from the front of the file.
struct MissingRanges: Sendable {
    /// From the end of the file to its start, so that taking from the front is `removeLast`.
    private var descending: [Range<Int64>]
    /// The sum of the ranges' sizes, in bytes.
    private(set) var byteCount: Int64

    /// - Parameter ascending: Disjoint ranges in ascending order.
    init(_ ascending: [Range<Int64>]) {
        descending = ascending.reversed().filter { !$0.isEmpty }
        byteCount = descending.reduce(0) { $0 + $1.upperBound - $1.lowerBound }
    }

    var isEmpty: Bool { descending.isEmpty }

    /// The first range; `nil` where nothing is missing.
    var first: Range<Int64>? { descending.last }

    /// Takes the bytes from the start of the first range up to `end`, which must lie within it.
    mutating func takeFirst(upTo end: Int64) -> Range<Int64> {
        let range = descending.removeLast()
        precondition(range.lowerBound < end && end <= range.upperBound, "A lease is cut from within one range")
        if end < range.upperBound { descending.append(end..<range.upperBound) }
        byteCount -= end - range.lowerBound
        return range.lowerBound..<end
    }

    /// Puts bytes back, joined with their neighbours.
    mutating func insert(_ range: Range<Int64>) {
        guard !range.isEmpty else { return }
        byteCount += range.upperBound - range.lowerBound
        let index = indexOfFirst(below: range.lowerBound)
        var joined = range
        var replaced = index..<index
        if index < descending.count, descending[index].upperBound == range.lowerBound {
            joined = descending[index].lowerBound..<joined.upperBound
            replaced = replaced.lowerBound..<index + 1
        }
        if index > 0, descending[index - 1].lowerBound == range.upperBound {
            joined = joined.lowerBound..<descending[index - 1].upperBound
            replaced = index - 1..<replaced.upperBound
        }
        descending.replaceSubrange(replaced, with: CollectionOfOne(joined))
    }

    /// Binary search for the first place, in descending order, whose range starts below `offset`.
    private func indexOfFirst(below offset: Int64) -> Int {
        var low = 0
        var high = descending.count
        while low < high {
            let middle = (low + high) / 2
            if descending[middle].lowerBound < offset { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
