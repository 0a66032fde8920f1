/// A file's content that is computed and not stored: bytes that depend on their position, from a seed.
///
///     let content = PatternContent(seed: 1, length: 1 << 30)
///     #expect(try content.difference(fromFileAt: path) == nil)
///
/// Two seeds give unrelated bytes. The pattern repeats after 1,048,583 bytes, a prime: bytes that landed at another
/// place of the file are told apart unless they are off by a multiple of that.
package struct PatternContent: Sendable, Equatable {
    /// What the bytes are made from.
    package let seed: UInt64
    /// Bytes in all.
    package let length: Int64

    private let tile: PatternTile

    /// Describes content.
    ///
    /// - Parameters:
    ///   - seed: What the bytes are made from.
    ///   - length: Bytes in all, 0 or more.
    package init(seed: UInt64, length: Int64) {
        precondition(length >= 0)
        self.seed = seed
        self.length = length
        tile = PatternTile.of(seed: seed)
    }

    /// Whether seed and length agree.
    package static func == (left: PatternContent, right: PatternContent) -> Bool {
        left.seed == right.seed && left.length == right.length
    }

    /// The bytes of a range, which must lie inside the content.
    package func bytes(in range: Range<Int64>) -> [UInt8] {
        precondition(range.lowerBound >= 0 && range.upperBound <= length)
        return [UInt8](unsafeUninitializedCapacity: Int(range.upperBound - range.lowerBound)) { buffer, count in
            let target = UnsafeMutableRawBufferPointer(buffer)
            while count < target.count {
                withBytes(in: range.lowerBound + Int64(count)..<range.upperBound) { piece in
                    UnsafeMutableRawBufferPointer(rebasing: target[count...]).copyMemory(from: piece)
                    count += piece.count
                }
            }
        }
    }

    /// Calls `body` with the first bytes of a range without copying them: all of it, or 1 MiB.
    package func withBytes<Result>(
        in range: Range<Int64>,
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        try tile.withBytes(from: range.lowerBound, atMost: range.upperBound - range.lowerBound, body)
    }
}
