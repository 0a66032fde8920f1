/// The CRC-32 of IEEE 802.3, gzip and PNG (reflected polynomial 0xEDB88320). It detects every damage of up to 32
/// consecutive bits, so also every changed byte.
package struct CRC32 {
    private static let table: [UInt32] = (0..<256).map { (index: UInt32) in
        (0..<8).reduce(index) { remainder, _ in
            remainder & 1 == 0 ? remainder >> 1 : remainder >> 1 ^ 0xEDB8_8320
        }
    }

    private var remainder = UInt32.max

    /// Starts a checksum over no bytes.
    package init() {}

    /// The checksum of all bytes so far.
    package var value: UInt32 { ~remainder }

    /// Adds bytes.
    ///
    /// - Parameter bytes: The bytes that follow those added before.
    package mutating func update(_ bytes: some Sequence<UInt8>) {
        let table = Self.table
        for byte in bytes {
            remainder = remainder >> 8 ^ table[Int(UInt8(truncatingIfNeeded: remainder) ^ byte)]
        }
    }
}
