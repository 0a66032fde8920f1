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
        let shown = RedactedURL.text(of: text)
        guard let colon = text.firstRange(of: "://") else { return withoutScheme(text, shown) }
        let scheme = text[..<colon.lowerBound].lowercased()
        guard scheme == "http" || scheme == "https" else {
            return "The scheme of '\(shown)' is not supported: segdl fetches 'http://' and 'https://' URLs."
        }
        let host = text[colon.upperBound...].prefix { !"/?#".contains($0) }
        return host.isEmpty ? "The URL '\(shown)' names no host: it is written 'https://HOST/PATH'." : nil
    }

    /// Why `--https-only` refuses an operand that is a URL; `nil` where it does not.
    static func unencrypted(_ text: String) -> String? {
        guard text.prefix(7).lowercased() == "http://" else { return nil }
        let shown = RedactedURL.text(of: text)
        return "'--https-only' refuses '\(shown)': write it with 'https://', or leave the option out."
    }

    private static func withoutScheme(_ text: String, _ shown: String) -> String {
        guard text.contains(".") || text.contains("/"), !text.hasPrefix("/"), !text.hasPrefix(".") else {
            return "'\(shown)' is not a URL: it must begin with 'http://' or 'https://'."
        }
        return "'\(shown)' has no scheme: did you mean 'https://\(shown)'?"
    }
}

/// URLs as messages may show them.
package enum RedactedURL {
    /// A URL without user name, password, query and fragment, and without anything that a terminal would obey. Takes
    /// any text, since it is what the user typed.
    package static func text(of url: String) -> String {
        let shown = url.prefix { $0 != "?" && $0 != "#" }
        let start = String(shown).firstRange(of: "://")?.upperBound ?? shown.startIndex
        let authority = shown[start...].prefix { $0 != "/" }
        let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        return Terminal.sanitised(shown[..<start] + host + shown[authority.endIndex...])
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
