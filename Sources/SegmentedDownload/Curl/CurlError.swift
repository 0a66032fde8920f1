internal import CSegdlShims
internal import SegmentedDownloadCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// What libcurl said of a transfer or a setting.
struct CurlError: Error, Sendable, Equatable {
    /// libcurl's code, `CURLE_…`.
    let code: UInt32
    /// libcurl's sentence: the error buffer where it says more, else `curl_easy_strerror`. The buffer quotes servers, for
    /// instance the subject of a certificate, so it is made printable.
    let text: String
    /// Host and port of the proxy that the request went through; `nil` without one.
    let proxy: String?
    /// What the proxy said where it refused to connect; `nil` where it did not refuse.
    let refusal: ProxyRefusal?
    /// Whether the request went over a connection that had been used before.
    let isOnUsedConnection: Bool

    init(
        _ code: CURLcode,
        detail: String = "",
        proxy: String? = nil,
        refusal: ProxyRefusal? = nil,
        isOnUsedConnection: Bool = false
    ) {
        self.code = code.rawValue
        text = detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail.printable
        self.proxy = proxy
        self.refusal = refusal
        self.isOnUsedConnection = isOnUsedConnection
    }

    /// Throws unless `code` is `CURLE_OK`.
    static func check(_ code: CURLcode) throws(CurlError) {
        guard code == CURLE_OK else { throw CurlError(code) }
    }
}

extension CurlError {
    /// The kind of failure that this is to a user.
    var kind: DownloadError.Kind {
        if let refusal { return refusal.kind }
        return switch CURLcode(rawValue: code) {
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_CONNECT_ERROR,
            CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT:
            .tls
        // Files of the user's that hold something else than they should: as one that is not there.
        case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM: .localFile
        // 7.88 says so of an answer that is not HTTP/1 or later; the scheme was checked before.
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY: .protocol
        case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT, CURLE_URL_MALFORMAT, CURLE_BAD_FUNCTION_ARGUMENT,
            CURLE_UNKNOWN_OPTION, CURLE_NOT_BUILT_IN:
            .other
        default: .network
        }
    }

    /// Whether the peer answered a TLS handshake with something else, as a plain HTTP server does. OpenSSL's words, which libcurl
    /// passes on, are all that tells.
    var isPlainHTTP: Bool {
        code == CURLE_SSL_CONNECT_ERROR.rawValue
            && ["wrong version number", "packet length too long", "http request"].contains(where: says)
    }

    /// Whether a certificate is one for another host. libcurl's words are all that tells.
    var isAboutHostName: Bool {
        code == CURLE_PEER_FAILED_VERIFICATION.rawValue
            && ["does not match", "no alternative certificate subject name"].contains(where: says)
    }

    private func says(_ words: String) -> Bool { strstr(text, words) != nil }

    /// Whether a host's name could not be resolved: the host has not said anything.
    var isAboutNames: Bool {
        let code = CURLcode(rawValue: code)
        return code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY
    }

    /// Whether a line of the head was longer than libcurl takes (100 KiB): out of memory to 7.88, too large
    /// (`CURLE_TOO_LARGE`, which its header does not know) to later ones. Real lack of memory ends the process.
    ///
    /// Not on a connection that was used before: what came behind the last answer's body, and not with it, is no head.
    var isAboutLength: Bool { isTooLong && !isOnUsedConnection }

    private var isTooLong: Bool { code == CURLE_OUT_OF_MEMORY.rawValue || code == 100 }

    /// Whether the same request may well succeed in a while.
    var isTransient: Bool {
        if let refusal { return refusal.isTransient }
        return switch kind {
        // A handshake that breaks off is the network's fault as often as not; a certificate that fails stays so.
        case .tls: CURLcode(rawValue: code) == CURLE_SSL_CONNECT_ERROR && !isPlainHTTP
        case .network: true
        // What came behind the last answer's body, and not with it, reads like an answer that is no HTTP.
        case .protocol: isOnUsedConnection
        case .other: isTooLong && isOnUsedConnection
        default: false
        }
    }
}
