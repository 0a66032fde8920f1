/// What a resource consists of.
package enum Content: Sendable {
    /// Computed bytes of any length.
    case pattern(PatternContent)
    /// These very bytes.
    case bytes([UInt8])

    /// Bytes in all.
    package var length: Int64 {
        switch self {
        case .pattern(let pattern): pattern.length
        case .bytes(let bytes): Int64(bytes.count)
        }
    }

    /// Computed bytes: `.pattern(seed: 1, length: 10_000_000)`.
    package static func pattern(seed: UInt64, length: Int64) -> Content {
        .pattern(PatternContent(seed: seed, length: length))
    }

    /// The UTF-8 bytes of a text.
    package static func text(_ text: String) -> Content {
        .bytes(Array(text.utf8))
    }

    /// Calls `body` with the first bytes of a range, without copying: at least one, at most 1 MiB.
    func withBytes<Result>(
        in range: Range<Int64>,
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        switch self {
        case .pattern(let pattern):
            return try pattern.withBytes(in: range, body)
        case .bytes(let bytes):
            return try bytes.withUnsafeBytes { all in
                try body(UnsafeRawBufferPointer(rebasing: all[Int(range.lowerBound)..<Int(range.upperBound)]))
            }
        }
    }
}
