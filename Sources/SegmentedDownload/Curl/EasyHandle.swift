internal import CSegdlShims
internal import SegmentedDownloadCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// A libcurl easy handle: one HTTP/1.1 connection's worth of transfers, one after the other. Belongs to one worker for
/// life, and is used on that worker's queue only.
struct EasyHandle: ~Copyable {
    /// `CURL *`.
    let pointer: UnsafeMutableRawPointer
    private let errorText: UnsafeMutablePointer<CChar>

    private init(owning pointer: UnsafeMutableRawPointer) {
        self.pointer = pointer
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    /// Makes a handle with the settings that no request changes.
    static func make(_ settings: ConnectionSettings, share: ShareHandle) throws(CurlError) -> EasyHandle {
        guard let pointer = curl_easy_init() else { throw CurlError(CURLE_OUT_OF_MEMORY) }
        let handle = EasyHandle(owning: pointer)
        try CurlError.check(segdl_easy_set_error_buffer(pointer, handle.errorText))
        try CurlError.check(segdl_easy_set_share(pointer, share.pointer))
        try handle.setTransport(settings)
        try handle.setTrust(settings)
        return handle
    }

    deinit {
        curl_easy_cleanup(pointer)
        errorText.deallocate()
    }

    private func setTransport(_ settings: ConnectionSettings) throws(CurlError) {
        try CurlError.check(segdl_easy_set_protocols(pointer, "http,https"))
        // Redirects are followed by the probe: libcurl 7.88 would carry -H header lines to another host.
        try CurlError.check(segdl_easy_set_follow_location(pointer, 0))
        // Over TLS, HTTP/2 would put all requests of a worker on one TCP connection: no acceleration at all.
        try CurlError.check(segdl_easy_set_http_version(pointer, Int(CURL_HTTP_VERSION_1_1)))
        try CurlError.check(segdl_easy_set_http09_allowed(pointer, 0))
        try CurlError.check(segdl_easy_set_user_agent(pointer, settings.userAgent))
        try CurlError.check(segdl_easy_set_buffer_size(pointer, settings.receiveBufferSize))
        try CurlError.check(segdl_easy_set_connect_timeout_ms(pointer, settings.connectTimeoutMilliseconds))
        try CurlError.check(segdl_easy_set_no_signal(pointer, 1))
        try CurlError.check(segdl_easy_set_no_progress(pointer, 1))
        try CurlError.check(segdl_easy_set_suppress_connect_headers(pointer, 1))
        try CurlError.check(segdl_easy_set_tcp_keepalive(pointer, 1))
        // A stop must not wait for a look-up that a black hole answers (9 s measured).
        try CurlError.check(segdl_easy_set_quick_exit(pointer, 1))
    }

    private func setTrust(_ settings: ConnectionSettings) throws(CurlError) {
        if !settings.verifiesCertificates {
            try CurlError.check(segdl_easy_set_ssl_verify_peer(pointer, 0))
            try CurlError.check(segdl_easy_set_ssl_verify_host(pointer, 0))
        }
        if let file = settings.certificateAuthorityFile {
            try CurlError.check(segdl_easy_set_ca_info(pointer, file))
        }
        // A CA folder switches off libcurl's cache of the trust store: 18 ms of CPU for each TLS connection, not 1.9.
        if settings.certificateAuthorityFile != nil || CurlGlobal.defaultCertificateFile != nil {
            try CurlError.check(segdl_easy_set_ca_path(pointer, nil))
        }
    }
}

// MARK: - Requests

extension EasyHandle {
    /// Sets everything that differs from request to request. The header list must outlive the transfer.
    func prepare(
        _ request: TransferRequest,
        headers: borrowing HeaderList,
        context: UnsafeMutableRawPointer,
        onBytes: @escaping segdl_write_callback
    ) throws(CurlError) {
        errorText[0] = 0
        try CurlError.check(segdl_easy_set_url(pointer, request.url.text))
        switch request.method {
        case .head: try CurlError.check(segdl_easy_set_no_body(pointer, 1))
        case .get: try CurlError.check(segdl_easy_set_http_get(pointer, 1))
        }
        let range = request.range.map(\.inclusiveByteRange)
        try CurlError.check(segdl_easy_set_range(pointer, range))
        try CurlError.check(segdl_easy_set_http_headers(pointer, headers.pointer))
        try CurlError.check(segdl_easy_set_referer(pointer, request.referer))
        try CurlError.check(segdl_easy_set_user_name(pointer, request.credentials?.user))
        try CurlError.check(segdl_easy_set_password(pointer, request.credentials?.password))
        try CurlError.check(segdl_easy_set_fresh_connect(pointer, request.needsFreshConnection ? 1 : 0))
        try CurlError.check(segdl_easy_set_private_data(pointer, context))
        try CurlError.check(segdl_easy_set_write_data(pointer, context))
        try CurlError.check(segdl_easy_set_write_function(pointer, onBytes))
    }

    /// Sends the callback's bytes to another context from now on; it outlives the transfer.
    func redirect(context: UnsafeMutableRawPointer) throws(CurlError) {
        try CurlError.check(segdl_easy_set_private_data(pointer, context))
        try CurlError.check(segdl_easy_set_write_data(pointer, context))
    }

    /// The error of a transfer that ended with `code`, with the details that libcurl wrote.
    func error(_ code: CURLcode) -> CurlError {
        CurlError(code, detail: String(cString: errorText))
    }
}

/// The head of a handle's last response, without trailers, CONNECT replies and 1xx answers.
func responseHead(of easy: UnsafeMutableRawPointer) -> ResponseHead {
    var status = 0
    _ = segdl_easy_get_response_code(easy, &status)
    var fields: [(name: String, value: String)] = []
    var previous: UnsafeMutablePointer<curl_header>?
    // -1: the last request of a chain, so that neither an interim answer nor a proxy's is read.
    while let header = curl_easy_nextheader(easy, UInt32(CURLH_HEADER), -1, previous) {
        fields.append((text(header.pointee.name), text(header.pointee.value)))
        previous = header
    }
    return ResponseHead(status: status, fields: fields, parseDate: CurlGlobal.seconds(ofDate:))
}

/// The bytes of a field as text, whatever their encoding.
private func text(_ bytes: UnsafeMutablePointer<CChar>?) -> String {
    guard let bytes else { return "" }
    return String(fieldBytes: UnsafeRawBufferPointer(start: bytes, count: strlen(bytes)))
}
