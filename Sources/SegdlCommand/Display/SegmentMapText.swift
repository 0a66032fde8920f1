/// The map of the segments: one character a cell, filled from the left as the file is.
package enum SegmentMapText {
    private static let blocks: [Character] = ["▏", "▎", "▍", "▌", "▋", "▊", "▉"]
    private static let marks: [Character] = [".", ":", "="]

    /// The map. A cell is full only where all of it is finished, and empty only where nothing is.
    ///
    /// - Parameters:
    ///   - cells: How much of each cell is finished, 0 to 1.
    ///   - isUnicode: Whether block characters may be used.
    /// - Returns: As many characters as there are cells.
    package static func text(_ cells: [Double], isUnicode: Bool) -> String {
        let partial = isUnicode ? blocks : marks
        return String(
            cells.map { cell in
                guard cell > 0 else { return " " }
                guard cell < 1 else { return isUnicode ? "█" : "#" }
                return partial[min(Int(cell * Double(partial.count)), partial.count - 1)]
            }
        )
    }
}
