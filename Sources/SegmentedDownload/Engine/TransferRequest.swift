/// One HTTP request, as it is to be sent.
struct TransferRequest: Sendable {
    enum Method: Sendable { case head, get }

    let method: Method
    let url: HTTPURL
    /// The bytes asked for, not empty; `nil` asks for everything.
    var range: Range<Int64>?
    /// The value of `If-Range`.
    var ifRange: String?
    /// The user's own header lines, where the URL is of the origin that they were given for.
    let headers: [String]
    let referer: String?
    let credentials: DownloadRequest.Credentials?
    /// `NAME=VALUE` pairs that the user gave for the URL's origin.
    let cookies: String?
    let certificate: DownloadRequest.ClientCertificate?
    let route: ProxyRules.Route
    /// What the handle is loaded with, and what new cookies go into.
    let cookieJar: CookieJar
    /// Whether it must not go over a connection that was used before.
    var needsFreshConnection = false

    /// Everything that goes out beside the request line, `Host`, `Range`, `User-Agent` and the credentials.
    var headerLines: [String] {
        // Encoded ranges have given other downloaders wrong bytes; identity is the only encoding that has places.
        var lines = ["Accept-Encoding: identity"]
        if let ifRange { lines.append("If-Range: \(ifRange)") }
        return lines + headers
    }
}
