/// Makes requests, and keeps what was given for one origin from every other.
///
/// libcurl 7.88 drops only `Authorization` on its own redirects, and we send segment requests straight to the final
/// address: so what a request carries is decided here, for each of them.
struct OriginScope: Sendable {
    /// The URL as asked for.
    let url: HTTPURL
    private let headers: [String]
    private let referer: String?
    private let credentials: DownloadRequest.Credentials?

    init(url: HTTPURL, request: DownloadRequest) {
        self.url = url
        headers = request.headers
        referer = request.referer
        credentials = request.credentials ?? url.credentials
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
            credentials: isOwn ? credentials : nil,
            needsFreshConnection: fresh
        )
    }
}
