internal import CSegdlShims
internal import SegmentedDownloadLocking

/// The cookies of a session, as lines of Netscape's cookie file.
///
/// libcurl's engine in each handle applies the rules (domain, path, secure, expiry); it can't be shared between
/// threads (libcurl-share(3), 7.88). So a handle is loaded from here when it is set up, and what an answer changed in
/// it is taken back.
final class CookieJar: Sendable {
    /// The lines at one moment.
    struct Contents: Sendable, Equatable {
        var lines: [String] = []
        /// Grows with every change.
        var version = 0
    }

    private let contents: Locked<Contents>

    /// - Parameter lines: Lines of Netscape's format.
    init(_ lines: [String] = []) {
        contents = Locked(Contents(lines: lines))
    }

    var current: Contents { contents.withLock { $0 } }

    /// Takes over what an answer changed in its handle. Only the difference counts: the rest may have been changed by
    /// answers on other connections meanwhile.
    ///
    /// - Parameters:
    ///   - before: What the handle was loaded with.
    ///   - after: What it holds now.
    func takeOver(from before: [String], to after: [String]) {
        let (old, new) = (Set(before), Set(after))
        let gone = old.subtracting(new)
        let added = after.filter { !old.contains($0) }
        guard !gone.isEmpty || !added.isEmpty else { return }
        let replaced = Set(added.map(Self.identity))
        contents.withLock { contents in
            contents.lines.removeAll { gone.contains($0) || replaced.contains(Self.identity($0)) }
            contents.lines += added
            for domain in Set(added.map(Self.domain)) { Self.limit(domain, in: &contents.lines) }
            contents.version += 1
        }
    }

    /// The most bytes of cookies that a domain has here. libcurl sends 8190 at most; but it keeps 50 new ones of 4 KiB from
    /// every answer, and every handle holds all.
    private static let maximumDomainByteCount = 64 * 1024

    /// Drops the oldest cookies of a domain that has too many.
    private static func limit(_ domain: Substring, in lines: inout [String]) {
        var excess = lines.reduce(-maximumDomainByteCount) { $0 + (Self.domain($1) == domain ? $1.utf8.count : 0) }
        lines.removeAll { line in
            guard excess > 0, Self.domain(line) == domain else { return false }
            excess -= line.utf8.count
            return true
        }
    }

    /// The first of a line's fields.
    private static func domain(_ line: String) -> Substring { line.prefix { $0 != "\t" } }

    /// What makes two cookies one: domain, path and name (RFC 6265 §5.3), which are the fields 1, 3 and 6 of 7.
    private static func identity(_ line: String) -> String {
        let fields = line.split(separator: "\t", maxSplits: 6, omittingEmptySubsequences: false)
        guard fields.count == 7 else { return line }
        return [fields[0], fields[2], fields[5]].joined(separator: "\t")
    }
}

extension CookieJar {
    /// What a cookie file holds.
    struct FileContents: Sendable, Equatable {
        /// Lines of Netscape's format.
        var lines: [String] = []
        /// Cookies whose `Set-Cookie` line names no domain: they belong to the URL given.
        var unbound: [Unbound] = []
    }

    /// A cookie without a domain. libcurl 7.88 would send it to every host.
    struct Unbound: Sendable, Equatable {
        /// `NAME=VALUE`.
        let pair: String
        /// Whether it must only be sent over TLS.
        let isSecure: Bool
    }

    /// Stands in for the domain of a cookie that has none, since libcurl lists only those with one. Nobody's (RFC 2606).
    private static let noDomain = "unbound.invalid"

    /// Reads a cookie file as curl does: Netscape's format, or header lines with `Set-Cookie`. What is neither, or has
    /// expired, is passed over.
    ///
    /// - Throws: Where libcurl has no memory.
    static func read(_ text: String) throws(CurlError) -> FileContents {
        try CurlError.check(CurlGlobal.setUp)
        guard let easy = curl_easy_init() else { throw CurlError(CURLE_OUT_OF_MEMORY) }
        defer { curl_easy_cleanup(easy) }
        // CRLF is one Character, so the line feeds are looked for among the scalars.
        for part in text.unicodeScalars.split(whereSeparator: { $0 == "\n" || $0 == "\r" }) {
            try CurlError.check(segdl_easy_set_cookie_list(easy, cookieListText(String(part))))
        }
        var contents = FileContents()
        for line in cookieLines(of: easy) {
            let fields = line.split(separator: "\t", maxSplits: 6, omittingEmptySubsequences: false)
            if fields.count == 7, fields[0].hasSuffix(noDomain) {
                contents.unbound.append(Unbound(pair: "\(fields[5])=\(fields[6])", isSecure: fields[3] == "TRUE"))
            } else {
                contents.lines.append(line)
            }
        }
        return contents
    }

    /// A line that `CURLOPT_COOKIELIST` takes for a cookie, never for one of its commands (`ALL`, `SESS`, `FLUSH`, `RELOAD`).
    private static func cookieListText(_ line: String) -> String {
        let isHeader = line.prefix(11).lowercased() == "set-cookie:"
        guard isHeader else { return line.contains("\t") ? line : "#" }
        let attributes = line.split(separator: ";").dropFirst()
        let hasDomain = attributes.contains { $0.lowercased().drop { $0 == " " }.hasPrefix("domain=") }
        return hasDomain ? line : "\(line); Domain=\(noDomain)"
    }
}

/// The cookies that a handle holds, as lines of Netscape's format. May be asked in a write callback.
func cookieLines(of easy: UnsafeMutableRawPointer) -> [String] {
    var list: UnsafeMutablePointer<curl_slist>?
    guard segdl_easy_get_cookie_list(easy, &list) == CURLE_OK else { return [] }
    return TextList(owning: list).lines
}
