/// Little-endian numbers at explicit offsets, as the journal's format has them. An offset outside of the array is an
/// error of the program, never of the journal: the callers check the number of bytes first.
extension Array where Element == UInt8 {
    /// Reads a number.
    ///
    /// - Parameters:
    ///   - type: What to read.
    ///   - offset: Where its lowest byte stands.
    /// - Returns: The number.
    func littleEndian<Number: FixedWidthInteger>(_ type: Number.Type = Number.self, at offset: Int) -> Number {
        (0..<MemoryLayout<Number>.size).reduce(into: 0) { number, index in
            number |= Number(truncatingIfNeeded: self[offset + index]) << Number(truncatingIfNeeded: 8 * index)
        }
    }

    /// Writes a number.
    ///
    /// - Parameters:
    ///   - number: The number.
    ///   - offset: Where its lowest byte goes.
    mutating func setLittleEndian<Number: FixedWidthInteger>(_ number: Number, at offset: Int) {
        for index in 0..<MemoryLayout<Number>.size {
            self[offset + index] = UInt8(truncatingIfNeeded: number >> Number(truncatingIfNeeded: 8 * index))
        }
    }
}
