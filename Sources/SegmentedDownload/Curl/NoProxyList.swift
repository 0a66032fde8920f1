#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// The hosts that are reached without a proxy: names divided by commas or spaces, as curl 7.88 reads `no_proxy`. A name
/// means itself and all below it, `*` alone means every host, addresses may have a length (`10.0.0.0/8`).
struct NoProxyList: Sendable {
    private let matchesAll: Bool
    private let entries: [Substring]

    init(_ text: String) {
        matchesAll = text == "*"
        entries = text.split { $0 == "," || $0.isWhitespace }
    }

    /// - Parameter host: A name, or an address; IPv6 in brackets or not.
    func contains(_ host: String) -> Bool {
        if matchesAll { return true }
        let bare = host.hasPrefix("[") ? String(host.dropFirst().prefix { $0 != "]" && $0 != "%" }) : host
        if let address = Self.addressBytes(bare) { return entries.contains { Self.covers($0, address) } }
        let name = Self.trimmed(bare[...]).lowercased()
        return entries.contains { entry in
            let suffix = Self.trimmed(entry.hasPrefix(".") ? entry.dropFirst() : entry).lowercased()
            return !suffix.isEmpty && (name == suffix || name.hasSuffix("." + suffix))
        }
    }

    /// A dot at the end only says that the name is complete.
    private static func trimmed(_ name: Substring) -> Substring {
        name.hasSuffix(".") ? name.dropLast() : name
    }

    private static func covers(_ entry: Substring, _ address: [UInt8]) -> Bool {
        let parts = entry.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let bare = String(parts[0].filter { $0 != "[" && $0 != "]" })
        guard let network = addressBytes(bare), network.count == address.count else { return false }
        guard parts.count == 2 else { return network == address }
        guard let length = Int(parts[1]), (0...address.count * 8).contains(length) else { return false }
        return (0..<address.count).allSatisfy { index in
            let bits = min(max(length - index * 8, 0), 8)
            let mask = UInt8(truncatingIfNeeded: 0xFF00 >> bits)
            return network[index] & mask == address[index] & mask
        }
    }

    /// The 4 or 16 bytes of an address; `nil` for a name. Source: inet_pton(3).
    static func addressBytes(_ text: String) -> [UInt8]? {
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 { return withUnsafeBytes(of: four) { Array($0) } }
        var sixteen = in6_addr()
        return inet_pton(AF_INET6, text, &sixteen) == 1 ? withUnsafeBytes(of: sixteen) { Array($0) } : nil
    }
}
