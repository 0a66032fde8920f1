internal import CSegdlShims
internal import SegmentedDownloadCore

/// An absolute `http` or `https` URL, parsed and joined by libcurl's own parser (`curl_url`), so that what is checked
/// here and what libcurl connects to can't differ.
package struct HTTPURL: Sendable, Equatable {
    /// Why a text is no URL that can be fetched.
    package enum ParseError: Error, Equatable {
        /// libcurl's parser refused it; the text says why.
        case malformed(String)
        /// A scheme other than http and https.
        case unsupportedScheme
    }

    /// The URL to send, with user name, password and fragment taken out.
    package let text: String
    /// `http` or `https`.
    package let scheme: String
    /// The host in lower case; an IPv6 address stands in brackets.
    let host: String
    /// Host and port as one text, the port always said.
    package let authority: String
    /// The path, still percent-encoded; begins with a slash.
    package let path: String
    /// User name and password as they stood in the URL, percent-decoded.
    package let credentials: DownloadRequest.Credentials?

    /// Parses an absolute URL. Spaces and bytes outside ASCII are percent-encoded, what is encoded already stays.
    package init(_ text: String) throws(ParseError) {
        try self.init(text, relativeTo: nil)
    }

    /// The URL that a `Location` field names, which may be relative (RFC 9110 §10.2.2).
    package func resolving(_ location: String) throws(ParseError) -> HTTPURL {
        try HTTPURL(location, relativeTo: self.text)
    }

    private init(_ text: String, relativeTo base: String?) throws(ParseError) {
        guard !text.utf8.contains(0) else { throw .malformed("it holds a NUL byte") }
        guard let handle = curl_url() else { throw .malformed("out of memory") }
        defer { curl_url_cleanup(handle) }
        if let base { try Self.check(curl_url_set(handle, CURLUPART_URL, base, 0)) }
        // libcurl would make `+` of a space in a query, which is a plus sign to some servers; browsers write %20.
        let text = text.split(separator: " ", omittingEmptySubsequences: false).joined(separator: "%20")
        try Self.check(curl_url_set(handle, CURLUPART_URL, text, UInt32(CURLU_URLENCODE | CURLU_NON_SUPPORT_SCHEME)))
        guard let scheme = urlPart(CURLUPART_SCHEME, of: handle), scheme == "http" || scheme == "https" else {
            throw .unsupportedScheme
        }
        let user = urlPart(CURLUPART_USER, of: handle, flags: CURLU_URLDECODE)
        let password = urlPart(CURLUPART_PASSWORD, of: handle, flags: CURLU_URLDECODE)
        for part in [CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_OPTIONS, CURLUPART_FRAGMENT] {
            try Self.check(curl_url_set(handle, part, nil, 0))
        }
        guard let host = urlPart(CURLUPART_HOST, of: handle), !host.isEmpty,
            let port = urlPart(CURLUPART_PORT, of: handle, flags: CURLU_DEFAULT_PORT),
            let whole = urlPart(CURLUPART_URL, of: handle)
        else { throw .malformed("it has no host") }
        // libcurl decodes the host, and refuses to look one up that is no name in any language.
        guard host == host.printable else { throw .malformed("its host holds a control character") }
        self.text = whole
        self.scheme = scheme
        self.host = host.lowercased()
        authority = "\(self.host):\(port)"
        path = urlPart(CURLUPART_PATH, of: handle) ?? "/"
        credentials = user.map { .init(user: $0, password: password ?? "") }
    }

    private static func check(_ code: CURLUcode) throws(ParseError) {
        guard code != CURLUE_UNSUPPORTED_SCHEME else { throw .unsupportedScheme }
        guard code == CURLUE_OK else { throw .malformed(String(cString: curl_url_strerror(code))) }
    }
}

extension HTTPURL {
    /// Scheme, host and port: what credentials and header lines were given for (RFC 6454).
    package var origin: String { "\(scheme)://\(authority)" }

    /// For messages: no user name, password, query or fragment, any of which may be a secret. The host is printable; the
    /// rest is percent-encoded.
    package var redacted: String {
        String(text.unicodeScalars.prefix { $0 != "?" && $0 != "#" }).printable
    }

    /// Whether following a redirect from here to there gives up encryption.
    package func isDowngrade(to next: HTTPURL) -> Bool { scheme == "https" && next.scheme == "http" }
}
