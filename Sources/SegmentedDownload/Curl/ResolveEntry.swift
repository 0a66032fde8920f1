/// An entry of `--resolve`: `HOST:PORT:ADDRESS[,ADDRESS…]`.
enum ResolveEntry {
    /// Checks an entry: libcurl would leave a bad one out, or fail with a number alone.
    ///
    /// - Throws: `usage`.
    static func check(_ text: String) throws(DownloadError) {
        // Addresses may hold colons, host names never do.
        let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        let addresses = parts.last?.split(separator: ",", omittingEmptySubsequences: false) ?? []
        guard parts.count == 3, isName(parts[0]), let port = UInt16(parts[1]), port > 0,
            addresses.allSatisfy({ isAddress($0) })
        else {
            throw DownloadError(
                .usage,
                "--resolve is written HOST:PORT:ADDRESS, for instance example.org:443:192.0.2.1 or "
                    + "example.org:443:[2001:db8::1],192.0.2.1, with addresses and not names after the port."
            )
        }
    }

    /// `+` and `-` at the start of a name are commands to libcurl.
    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && !text.hasPrefix("-") && !text.hasPrefix("+")
            && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
    }

    private static func isAddress(_ text: Substring) -> Bool {
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]") && text.count > 2
        return NoProxyList.addressBytes(String(isBracketed ? text.dropFirst().dropLast() : text)) != nil
    }
}
