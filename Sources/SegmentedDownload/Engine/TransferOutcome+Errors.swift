internal import CSegdlShims
internal import SegmentedDownloadCore

extension TransferOutcome {
    /// Whether the same request may well succeed in a while.
    var isTransient: Bool {
        switch self {
        case .completed, .cutShort, .revoked, .stalled, .bodyTooShort: true
        case .failed(let error): error.isTransient
        case .rejected(.status(let status, _)): StatusKind(status: status) == .transient
        case .rejected, .fileError, .heldBytesDiffer: false
        }
    }

    /// How long the server asked to be left alone; only a refusal that may pass asks for anything.
    ///
    /// - Parameter now: Seconds since 1970, for a Retry-After that is a date.
    func retryAfter(now: Int64) -> Duration? {
        switch self {
        case .rejected(.status(let status, let retryAfter)) where Self.asksForPatience(status):
            retryAfter?.wait(now: now)
        // A HEAD has no body whose start would be judged.
        case .completed(let head) where Self.asksForPatience(head.status): head.retryAfter?.wait(now: now)
        default: nil
        }
    }

    private static func asksForPatience(_ status: Int) -> Bool {
        status == 403 || StatusKind(status: status) == .transient
    }
}

extension DownloadError {
    /// The sentence for a transfer that failed.
    ///
    /// - Parameter remedy: What to do where the server wants credentials.
    static func outcome(
        _ outcome: TransferOutcome,
        _ url: HTTPURL,
        onDenial remedy: String
    ) -> DownloadError {
        switch outcome {
        case .failed(let error): return transfer(error, url)
        case .rejected(.status(let status, _)): return self.status(status, url, onDenial: remedy)
        case .rejected(let rejection):
            return DownloadError(
                .protocol,
                "The server of \(url.redacted) \(rejection); \(rejection.remedy).",
                url: url.redacted
            )
        case .stalled:
            return DownloadError(
                .network,
                "\(url.authority) sent nothing for as long as --stall-timeout allows; run the same command to go on.",
                url: url.redacted
            )
        case .bodyTooShort:
            return DownloadError(
                .network,
                "\(url.authority) ended the file before its promised length; run the same command to go on.",
                url: url.redacted
            )
        case .fileError(let errno):
            let advice = errno.remedy ?? "run the same command to go on"
            return DownloadError(
                .localFile,
                "The part file could not be written; \(advice).",
                underlying: errno.description
            )
        case .heldBytesDiffer:
            return DownloadError(
                .protocol,
                "\(url.authority) sent other bytes than before; run the same command to look at them again.",
                url: url.redacted
            )
        case .completed, .cutShort, .revoked:
            return DownloadError(
                .other,
                "A request for \(url.redacted) ended in an unexpected way; run the same command to go on.",
                url: url.redacted
            )
        }
    }

    /// The sentence for what libcurl says.
    static func transfer(_ error: CurlError, _ url: HTTPURL) -> DownloadError {
        let through = error.proxy.map { " through the proxy \($0)" } ?? ""
        if let refusal = error.refusal {
            return DownloadError(error.kind, proxy(error.proxy ?? "", refusal, url), url: url.redacted)
        }
        let sentence =
            switch error.kind {
            case .tls where error.code == CURLE_SSL_CLIENTCERT.rawValue:
                "\(url.authority) wants a certificate of yours, or another one: give it with --cert and --key."
            case .localFile where error.code == CURLE_SSL_CERTPROBLEM.rawValue:
                "The certificate of --cert and its key can't be used: both must be PEM, belong together, and the key not "
                    + "be encrypted."
            case .localFile:
                "The certificates to trust can't be used: the file must be PEM (--cacert, or the environment variables "
                    + "CURL_CA_BUNDLE and SSL_CERT_FILE)."
            case .tls where error.isPlainHTTP:
                "\(url.authority)\(through) does not speak TLS there; check the port, or whether the URL begins with http://."
            case .tls where error.isAboutHostName:
                "The certificate of \(url.authority)\(through) is for another host; check the name in the URL."
            case .tls:
                """
                The TLS connection to \(url.authority)\(through) can't be trusted or made; \
                --cacert names other certificates to trust.
                """
            case .protocol:
                "\(url.authority)\(through) does not answer as an HTTP server does; check scheme and port of the URL."
            case .network where error.code == CURLE_INTERFACE_FAILED.rawValue:
                "No connection to \(url.authority) can be made from there; check --interface."
            case .network: "The connection to \(url.authority)\(through) failed; check the address and the network."
            default: "libcurl can't fetch \(url.redacted); check the URL and the options."
            }
        return DownloadError(error.kind, sentence, underlying: error.text, url: url.redacted)
    }

    private static func proxy(_ proxy: String, _ refusal: ProxyRefusal, _ url: HTTPURL) -> String {
        let sentence = "The proxy \(proxy) \(refusal.summary) when asked to connect to \(url.authority)"
        guard refusal.kind == .authentication else { return "\(sentence); check the proxy's address." }
        return "\(sentence): \(proxyRemedy)."
    }

    private static let proxyRemedy = "give a user and a password in the proxy's address, USER:PASSWORD@HOST:PORT"

    private static func status(_ status: Int, _ url: HTTPURL, onDenial remedy: String) -> DownloadError {
        guard StatusKind(status: status) == .authentication else {
            return DownloadError(
                .server,
                "The server answered \(status) for \(url.redacted); \(advice(forStatus: status)).",
                url: url.redacted
            )
        }
        guard status != 407 else {
            return DownloadError(
                .authentication,
                "The proxy on the way to \(url.authority) answered 407: \(proxyRemedy).",
                url: url.redacted
            )
        }
        return DownloadError(
            .authentication,
            "The server answered \(status) for \(url.redacted): \(remedy).",
            url: url.redacted
        )
    }

    private static func advice(forStatus status: Int) -> String {
        switch status {
        case 403: "the link may have expired, or you have to sign in (-u, -n, -b, -H)"
        case 404, 410: "check the URL"
        default:
            StatusKind(status: status) == .transient ? "run the same command later" : "check the URL and the options"
        }
    }

    /// Adds why it was not tried again.
    func given(up reason: RetryPolicy.Reason) -> DownloadError {
        var error = self
        switch reason {
        case .neverAnswered(let attempts): error.message += attempts == 1 ? " Tried once." : " Tried \(attempts) times."
        case .roundsExhausted(1): error.message += " Tried again once."
        case .roundsExhausted(let rounds): error.message += " Tried again \(rounds) times."
        }
        return error
    }
}

extension Rejection {
    /// What the user can do about it, to follow a semicolon.
    fileprivate var remedy: String {
        switch self {
        case .captive: "sign in to the network or the site, then run the same command"
        case .lengthChanged, .validatorsChanged, .rangesIgnored(.different):
            "run the same command when it no longer changes"
        case .redirect: "check the URL"
        default: "run the same command later, or fetch the file from elsewhere"
        }
    }
}
