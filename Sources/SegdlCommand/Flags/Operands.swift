/// What stands on the command line without being an option: URLs.
enum Operands {
    /// Why an operand is not a URL that can be fetched; `nil` where it is one.
    ///
    /// - Parameters:
    ///   - text: The operand.
    ///   - previous: The argument before it.
    /// - Returns: A sentence.
    static func problem(_ text: String, after previous: String?) -> String? {
        if previous == "-k", let habit = Habits.minimumSplit(text) { return habit }
        if previous == "-n", let habit = Habits.connections("n", text) { return habit }
        guard let colon = text.firstRange(of: "://") else { return withoutScheme(text, RedactedURL.text(of: text)) }
        let scheme = text[..<colon.lowerBound].lowercased()
        guard scheme == "http" || scheme == "https" else {
            let shown = RedactedURL.text(of: text)
            return "The scheme of '\(shown)' is not supported: segdl fetches 'http://' and 'https://' URLs."
        }
        let host = text[colon.upperBound...].prefix { !"/?#".contains($0) }
        guard host.isEmpty else { return nil }
        return "The URL '\(RedactedURL.text(of: text))' names no host: it is written 'https://HOST/PATH'."
    }

    /// Why `--https-only` refuses an operand that is a URL; `nil` where it does not.
    static func unencrypted(_ text: String) -> String? {
        guard text.prefix(7).lowercased() == "http://" else { return nil }
        let shown = RedactedURL.text(of: text)
        return "'--https-only' refuses '\(shown)': write it with 'https://', or leave the option out."
    }

    private static func withoutScheme(_ text: String, _ shown: String) -> String {
        let isMisspelt = text.prefix(4).lowercased() == "http"
        guard text.contains(".") || text.contains("/"), !text.hasPrefix("/"), !text.hasPrefix("."), !isMisspelt else {
            return "'\(shown)' is not a URL: it must begin with 'http://' or 'https://'."
        }
        return "'\(shown)' has no scheme: did you mean 'https://\(shown)'?"
    }
}

/// URLs as messages may show them.
package enum RedactedURL {
    /// What stands for a part that may be a password.
    private static let hidden: Substring = "[hidden]"

    /// A URL without user name, password, query and fragment, and without anything that a terminal would obey. Takes
    /// any text, since it is what the user typed: where it is not certain which part is the password, all of it counts.
    package static func text(of url: String) -> String {
        // Bytes: a delimiter with a combining mark behind it is another Character, but the same byte to libcurl.
        let text = url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        let (prefix, rest) = divided(text)
        let authority = rest.prefix { $0 != slash }
        let path = rest[authority.endIndex...]
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
            return shown(prefix, authority[authority.index(after: at)...], path)
        }
        return isHost(authority) ? shown(prefix, authority, path) : shown(prefix, hidden.utf8, path.prefix(0))
    }

    private typealias Bytes = Substring.UTF8View
    private static let slash = UInt8(ascii: "/")
    private static let colon = UInt8(ascii: ":")

    private static func shown(_ prefix: Bytes, _ host: Bytes, _ path: Bytes) -> String {
        Terminal.sanitised("\(Substring(prefix))\(Substring(host))\(Substring(path))")
    }

    /// The scheme with its slashes, of which one may be missing, and the rest.
    private static func divided(_ text: Bytes) -> (Bytes, Bytes) {
        var rest = text
        while let end = rest.firstIndex(of: colon) {
            rest = rest[rest.index(after: end)...]
            guard rest.first == slash else { continue }
            rest = rest.drop { $0 == slash }
            return (text[..<rest.startIndex], rest)
        }
        return (text.prefix(0), text)
    }

    /// Whether this can be a host with its port. `user:pa` of `user:pa/ss@host` is none: the password has a slash.
    private static func isHost(_ authority: Bytes) -> Bool {
        guard authority.first != UInt8(ascii: "["), let end = authority.lastIndex(of: colon) else { return true }
        return authority[authority.index(after: end)...].allSatisfy { Value.digits.contains($0) }
    }
}

extension String {
    /// The first place where the same bytes stand. The standard library's search would link its regular expressions.
    func firstRange(of needle: String) -> Range<String.Index>? {
        let wanted = Array(needle.utf8)
        var start = utf8.startIndex
        while start != utf8.endIndex {
            if utf8[start...].starts(with: wanted) {
                return start..<utf8.index(start, offsetBy: wanted.count)
            }
            start = utf8.index(after: start)
        }
        return nil
    }
}
