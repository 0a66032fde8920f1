/// Seeded texts such as a hostile server might send: pieces of real fields, delimiters and random bytes, shuffled.
struct UntrustedText {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next(pieces: [String]) -> String {
        var bytes: [UInt8] = []
        for _ in 0..<number(below: 12) {
            switch number(below: 4) {
            case 0: bytes += (0..<number(below: 6)).map { _ in UInt8(number(below: 256)) }
            case 1: bytes += Array("\"\\'%*/-=;,: .\0\r\n".utf8).shuffledPrefix(number(below: 4), number(below: 15))
            default: bytes += Array(pieces[number(below: pieces.count)].utf8)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    mutating func number(below bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % bound
    }
}

extension [UInt8] {
    fileprivate func shuffledPrefix(_ count: Int, _ offset: Int) -> [UInt8] {
        (0..<count).map { self[($0 * 7 + offset) % self.count] }
    }
}

/// A stand-in for `curl_getdate`: `T100` is 100 seconds after 1970.
func parseTestDate(_ text: String) -> Int64? {
    text.hasPrefix("T") ? Int64(text.dropFirst()) : nil
}
