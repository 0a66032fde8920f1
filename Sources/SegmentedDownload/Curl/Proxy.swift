internal import CSegdlShims

/// A proxy, parsed by libcurl's own parser.
struct Proxy: Sendable, Equatable {
    /// Why a text names no proxy that can be used; holds nothing of the text, which may have a password in it.
    struct ParseError: Error, Equatable {
        let reason: String
    }

    private static let schemes = ["http", "https", "socks5", "socks5h"]

    /// Scheme, host and port, as libcurl takes them; no user name and no password.
    let address: String
    /// Host and port, for messages.
    let authority: String
    let credentials: DownloadRequest.Credentials?

    /// Parses `[SCHEME://][USER:PASSWORD@]HOST[:PORT]`. Without a scheme it is an HTTP proxy; without a port it is 1080,
    /// or 443 for https, as curl has it.
    init(_ text: String) throws(ParseError) {
        let hasScheme = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).count > 2
        guard !text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }), let handle = curl_url() else {
            throw ParseError(reason: "it holds spaces or control characters")
        }
        defer { curl_url_cleanup(handle) }
        let flags = UInt32(CURLU_NON_SUPPORT_SCHEME)
        guard curl_url_set(handle, CURLUPART_URL, hasScheme ? text : "http://" + text, flags) == CURLUE_OK,
            let host = urlPart(CURLUPART_HOST, of: handle), !host.isEmpty
        else { throw ParseError(reason: "it is no address") }
        let scheme = urlPart(CURLUPART_SCHEME, of: handle) ?? "http"
        guard Self.schemes.contains(scheme) else {
            throw ParseError(reason: "its scheme is none of http, https, socks5 and socks5h")
        }
        let port = urlPart(CURLUPART_PORT, of: handle)
        // A lone word is hardly meant: curl would ask for a host of that name, or take a number for an IPv4 address.
        let place = text.split(separator: "@").last ?? ""
        guard hasScheme || port != nil || place.contains(".") else {
            throw ParseError(reason: "it has neither a scheme nor a port")
        }
        authority = "\(host):\(port ?? (scheme == "https" ? "443" : "1080"))"
        address = "\(scheme)://\(authority)"
        let user = urlPart(CURLUPART_USER, of: handle, flags: CURLU_URLDECODE)
        let password = urlPart(CURLUPART_PASSWORD, of: handle, flags: CURLU_URLDECODE)
        credentials = user.map { .init(user: $0, password: password ?? "") }
    }
}
