internal import SegmentedDownloadCore

/// A digest that a file must have, from a source that is trusted more than the server.
public struct Checksum: Sendable, Equatable {
    /// The algorithms.
    public enum Algorithm: String, Sendable, Equatable, CaseIterable {
        case md5, sha1, sha256, sha512

        /// The digest's length in bytes.
        public var byteCount: Int {
            switch self {
            case .md5: 16
            case .sha1: 20
            case .sha256: 32
            case .sha512: 64
            }
        }
    }

    /// The algorithm.
    public let algorithm: Algorithm
    /// The digest, as many bytes as the algorithm makes.
    public let digest: [UInt8]

    /// Reads `sha256:HEX`, `sha-256:HEX`, `sha256=HEX` or `sha-256=HEX`, in any case; `nil` for anything else.
    ///
    /// - Parameter text: Algorithm and digest.
    public init?(_ text: String) {
        guard let separator = text.utf8.firstIndex(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "=") }) else {
            return nil
        }
        let name = text[..<separator].lowercased().filter { $0 != "-" }
        guard let algorithm = Algorithm(rawValue: name),
            let digest = Self.bytes(ofHex: text.utf8[text.utf8.index(after: separator)...]),
            digest.count == algorithm.byteCount
        else { return nil }
        self.algorithm = algorithm
        self.digest = digest
    }

    private static func bytes(ofHex text: Substring.UTF8View) -> [UInt8]? {
        let digits = text.compactMap { Character(Unicode.Scalar($0)).hexDigitValue.map { UInt8($0) } }
        guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}

extension Checksum: CustomStringConvertible {
    /// `sha256:HEX`, the digest in lower case.
    public var description: String { "\(algorithm.rawValue):\(Self.hex(digest))" }

    static func hex(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}
