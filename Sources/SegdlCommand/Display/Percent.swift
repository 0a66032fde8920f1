package import SegmentedDownload

/// Whole percents that never promise too much.
package enum Percent {
    /// The percent that is held, rounded down: 100 only where all is. `nil` where the length is not known.
    ///
    /// - Parameters:
    ///   - held: Bytes held.
    ///   - length: The file's length in bytes.
    /// - Returns: 0 to 100.
    package static func value(held: Int64, of length: Int64?) -> Int? {
        guard let length else { return nil }
        guard held < length else { return 100 }
        // 99 at most: the division may round up to 100 where one byte of a very long file is missing.
        return min(99, Int(Double(max(held, 0)) / Double(length) * 100))
    }
}

extension DownloadProgress {
    /// What its phase has done of the file, in bytes: hashed while it verifies, else held.
    package var doneByteCount: Int64 { phase == .verifying ? hashedByteCount : heldByteCount }
}
