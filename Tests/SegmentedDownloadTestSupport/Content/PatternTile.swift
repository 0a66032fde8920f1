/// Pseudo-random bytes of a prime period, made once per seed and repeated to any length.
///
/// The bytes are laid out once round and a window further, so that a window from any position is one contiguous piece
/// of memory: a server sends from here without copying, at memory speed even in debug builds.
final class PatternTile: Sendable {
    /// Bytes after which the pattern repeats. Prime, so that segments (whose sizes are multiples of 64 KiB) swapped for
    /// one another differ unless they lie 64 GiB apart.
    static let period = 1_048_583
    /// The longest contiguous window, in bytes.
    static let window = 1_048_576

    private let bytes: [UInt8]

    private init(seed: UInt64) {
        let words = (Self.period + 7) / 8
        bytes = [UInt8](unsafeUninitializedCapacity: words * 8 + Self.window) { buffer, count in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            for word in 0..<words {
                raw.storeBytes(of: splitMix64(seed &+ UInt64(word)), toByteOffset: word * 8, as: UInt64.self)
            }
            let wrapped = UnsafeMutableRawBufferPointer(rebasing: raw[Self.period..<Self.period + Self.window])
            wrapped.copyMemory(from: UnsafeRawBufferPointer(rebasing: raw[..<Self.window]))
            count = Self.period + Self.window
        }
    }

    /// Calls `body` with the bytes from `offset` on: at most `count`, at most a window.
    ///
    /// - Parameters:
    ///   - offset: Position in the endless pattern, 0 or more.
    ///   - count: Bytes wanted.
    ///   - body: Given the bytes, which it must not keep.
    /// - Returns: What `body` returned.
    func withBytes<Result>(
        from offset: Int64,
        atMost count: Int64,
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        let start = Int(offset % Int64(Self.period))
        let length = Int(min(count, Int64(Self.window)))
        return try bytes.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[start..<start + length])) }
    }

    // A tile takes 2 MiB and some milliseconds to make in a debug build; most tests use the same few seeds.
    // A Monitor and not a Mutex: the thread sanitizer doesn't see what Mutex does on Linux, and reports a race.
    private static let cache = Monitor<[UInt64: PatternTile]>([:])
    private static let cacheLimit = 16

    /// The tile of a seed, made where no recent one is there.
    static func of(seed: UInt64) -> PatternTile {
        cache.withLock { tiles in
            if let tile = tiles[seed] { return tile }
            if tiles.count >= cacheLimit { tiles.removeAll() }
            let tile = PatternTile(seed: splitMix64(seed))
            tiles[seed] = tile
            return tile
        }
    }
}

/// One output of the SplitMix64 generator (Steele, Lea, Flood 2014) for a counter.
func splitMix64(_ counter: UInt64) -> UInt64 {
    var z = counter &* 0x9E37_79B9_7F4A_7C15 &+ 0x9E37_79B9_7F4A_7C15
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
}
