/// Which proxy a URL is fetched through: what the options say, else what the environment does, as curl has it.
///
/// libcurl could read the environment by itself. Decided here, so that a bad value is named with the variable that it
/// stands in, and so that messages can say which proxy was in the way.
struct ProxyRules: Sendable {
    /// How a URL is reached.
    enum Route: Sendable, Equatable {
        case direct
        case proxy(Proxy, source: String)
        /// A proxy is wanted, but its setting can't be used.
        case refused(DownloadError)
    }

    private let http: Route
    private let https: Route
    private let exceptions: NoProxyList

    /// - Parameters:
    ///   - proxy: The proxy for all URLs; `nil` is the environment's, an empty text is none.
    ///   - noProxy: Hosts that are reached without; `nil` is the environment's.
    ///   - environment: Looks a variable up.
    init(proxy: String?, noProxy: String?, environment: (String) -> String?) {
        // An empty variable counts as one that is not set (curl 7.88, detect_proxy).
        func first(_ names: [String]) -> (value: String, source: String)? {
            for name in names {
                if let value = environment(name), !value.isEmpty { return (value, name) }
            }
            return nil
        }
        if let proxy {
            http = Self.route(proxy.isEmpty ? nil : (proxy, "--proxy"))
            https = http
        } else {
            // HTTP_PROXY in capitals can be set by whoever sends a request to a CGI program (httpoxy).
            http = Self.route(first(["http_proxy", "all_proxy", "ALL_PROXY"]))
            https = Self.route(first(["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]))
        }
        exceptions = NoProxyList(noProxy ?? first(["no_proxy", "NO_PROXY"])?.value ?? "")
    }

    private static func route(_ setting: (value: String, source: String)?) -> Route {
        guard let setting else { return .direct }
        do throws(Proxy.ParseError) {
            return .proxy(try Proxy(setting.value), source: setting.source)
        } catch {
            let place = setting.source.hasPrefix("-") ? "given with" : "in the environment variable"
            return .refused(
                DownloadError(
                    .usage,
                    "The proxy \(place) \(setting.source) can't be used, since \(error.reason): write it as "
                        + "[http|https|socks5|socks5h]://[USER:PASSWORD@]HOST:PORT."
                )
            )
        }
    }

    /// - Throws: `usage` where the proxy for all URLs can't be used.
    func checkOption() throws(DownloadError) {
        if case .refused(let error) = http { throw error }
    }

    /// How a URL is reached.
    func route(to url: HTTPURL) -> Route {
        if exceptions.contains(url.host) { return .direct }
        return url.scheme == "https" ? https : http
    }
}
