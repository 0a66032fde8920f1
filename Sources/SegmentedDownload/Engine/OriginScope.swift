internal import SegmentedDownloadCore

/// Makes requests, and keeps what was given for one origin from every other.
///
/// libcurl 7.88 drops only `Authorization` on its own redirects, and we send segment requests straight to the final
/// address: so what a request carries is decided here, for each of them.
struct OriginScope: Sendable {
    /// The URL as asked for.
    let url: HTTPURL
    private let access: SessionAccess
    private let headers: [String]
    private let referer: String?
    /// A user name with its password; a name alone, in the URL, may find its password in the netrc file.
    private let credentials: DownloadRequest.Credentials?
    private let cookies: String?
    private let certificate: DownloadRequest.ClientCertificate?
    private let requiresHTTPS: Bool

    init(url: HTTPURL, request: DownloadRequest, access: SessionAccess) {
        self.url = url
        self.access = access
        headers = request.headers.filter { Self.cookieData(of: $0) == nil }
        referer = request.referer
        credentials = request.credentials ?? url.credentials.flatMap { $0.password.isEmpty ? nil : $0 }
        certificate = request.clientCertificate
        requiresHTTPS = request.requiresHTTPS
        // One Cookie field for all (RFC 6265 §5.4): libcurl adds to its own what it is given as data, not header lines.
        let data = request.headers.compactMap(Self.cookieData) + (request.cookies.map { [$0] } ?? [])
        let unbound = access.unboundCookies.filter { !$0.isSecure || url.scheme == "https" }.map(\.pair)
        let all = (data + unbound).filter { !$0.isEmpty }
        cookies = all.isEmpty ? nil : all.joined(separator: "; ")
    }

    /// The value of a `Cookie` header line; `nil` for other lines.
    private static func cookieData(of line: String) -> String? {
        guard line.prefix(7).lowercased() == "cookie:" else { return nil }
        return String(line.dropFirst(7).drop { $0 == " " || $0 == "\t" })
    }

    /// Checks that a URL may be asked at all: the one given, and each that a redirect names.
    ///
    /// - Throws: `usage` where the URL given, or the proxy for it, is no good; `protocol` where a redirect gives up
    ///   encryption that must stay.
    func admit(_ target: HTTPURL) throws(DownloadError) {
        if requiresHTTPS, target.scheme != "https" {
            throw target == url
                ? DownloadError(
                    .usage,
                    "--https-only fetches https:// URLs alone: write \(target.redacted) with https://, or leave --https-only out.",
                    url: target.redacted
                )
                : DownloadError(
                    .protocol,
                    "The server leads to \(target.redacted), which is not encrypted, and --https-only forbids that.",
                    url: target.redacted
                )
        }
        if case .refused(let error) = access.proxies.route(to: target) { throw error }
    }

    /// A sentence for `--verbose` on the proxy of a URL; `nil` without one.
    func proxyNote(for target: HTTPURL) -> String? {
        guard case .proxy(let proxy, let source) = access.proxies.route(to: target) else { return nil }
        return "\(target.authority) is reached through the proxy \(proxy.authority) (\(source))."
    }

    /// The sentence for a request that failed.
    func error(of outcome: TransferOutcome, at target: HTTPURL) -> DownloadError {
        .outcome(outcome, target, onDenial: denialRemedy(at: target))
    }

    /// What to do where the server wants credentials, or others; to follow a colon.
    private func denialRemedy(at target: HTTPURL) -> String {
        let isOwn = target.origin == url.origin
        if credentials(for: target) != nil || isOwn && headers.contains(where: Self.isAuthorization) {
            return "the credentials that were given are not accepted; check user and password"
        }
        return isOwn ? "give a user and a password with -u" : "credentials are sent to no other host"
    }

    private static func isAuthorization(_ line: String) -> Bool {
        line.prefix(14).lowercased() == "authorization:"
    }

    /// A request to any URL that the original led to.
    func request(
        _ method: TransferRequest.Method,
        _ target: HTTPURL,
        range: Range<Int64>? = nil,
        ifRange: String? = nil,
        fresh: Bool = false
    ) -> TransferRequest {
        let isOwn = target.origin == url.origin
        return TransferRequest(
            method: method,
            url: target,
            range: range,
            ifRange: ifRange,
            headers: isOwn ? headers : [],
            referer: isOwn ? referer : nil,
            credentials: credentials(for: target),
            cookies: isOwn ? cookies : nil,
            certificate: isOwn ? certificate : nil,
            route: access.proxies.route(to: target),
            cookieJar: access.cookies,
            needsFreshConnection: fresh
        )
    }
}

// MARK: - Credentials

extension OriginScope {
    private func credentials(for target: HTTPURL) -> DownloadRequest.Credentials? {
        let isOwn = target.origin == url.origin
        if isOwn, let credentials { return credentials }
        if let account = account(for: target, isOwn: isOwn) {
            return .init(user: account.login, password: account.password)
        }
        return isOwn ? url.credentials : nil
    }

    /// What the netrc file has for a URL. It names hosts, not origins:
    ///
    /// - the host of the URL given gets its entry there, and on the way from http to https on the standard ports, but
    ///   at no other port: the service behind that may be another's;
    /// - another host that a redirect leads to gets the entry of its own name, as from curl, and never `default`;
    /// - nothing goes out unencrypted where the URL given is encrypted.
    private func account(for target: HTTPURL, isOwn: Bool) -> Netrc.Account? {
        guard let netrc = access.netrc, isOwn || !url.isDowngrade(to: target) else { return nil }
        let isUpgrade = url.origin == "http://\(url.host):80" && target.origin == "https://\(url.host):443"
        guard isOwn || isUpgrade || target.host != url.host else { return nil }
        let name = target.host.filter { $0 != "[" && $0 != "]" }
        // A user name in the URL chooses among several entries of its host.
        let login = target.host == url.host ? url.credentials?.user : nil
        return netrc.account(for: name, login: login, allowsDefault: isOwn)
    }
}
