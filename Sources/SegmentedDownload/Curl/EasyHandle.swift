internal import CSegdlShims
internal import SegmentedDownloadCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// A libcurl easy handle: one connection's worth of transfers, one after the other. Belongs to one worker for
/// life, and is used on that worker's queue only.
struct EasyHandle: ~Copyable {
    /// `CURL *`.
    let pointer: UnsafeMutableRawPointer
    private let errorText: UnsafeMutablePointer<CChar>
    /// libcurl keeps no copy of it.
    private let resolve: TextList
    /// libcurl locks it when the handle is cleaned up.
    private let share: ShareHandle

    private init(owning pointer: UnsafeMutableRawPointer, resolve: consuming TextList, share: ShareHandle) {
        self.pointer = pointer
        self.resolve = resolve
        self.share = share
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    /// Makes a handle with the settings that no request changes.
    ///
    /// - Parameter sockets: Closes the sockets, and outlives the handle's connections; `nil` leaves that to libcurl.
    static func make(
        _ settings: ConnectionSettings,
        share: ShareHandle,
        sockets: SocketTable?
    ) throws(CurlError) -> EasyHandle {
        guard let pointer = curl_easy_init() else { throw CurlError(CURLE_OUT_OF_MEMORY) }
        let resolve: TextList
        do throws(CurlError) {
            resolve = try TextList(settings.resolve)
        } catch {
            curl_easy_cleanup(pointer)
            throw error
        }
        let handle = EasyHandle(owning: pointer, resolve: resolve, share: share)
        try CurlError.check(segdl_easy_set_error_buffer(pointer, handle.errorText))
        try CurlError.check(segdl_easy_set_share(pointer, share.pointer))
        if let sockets { try handle.setCloser(sockets) }
        try handle.setTransport(settings)
        try handle.setTrust(settings)
        return handle
    }

    deinit {
        curl_easy_cleanup(pointer)
        errorText.deallocate()
    }

    private func setCloser(_ sockets: SocketTable) throws(CurlError) {
        try CurlError.check(segdl_easy_set_close_socket_data(pointer, Unmanaged.passUnretained(sockets).toOpaque()))
        try CurlError.check(
            segdl_easy_set_close_socket_function(pointer) { context, socket in
                guard let context else { return -1 }
                Unmanaged<SocketTable>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.close(socket) }
                return 0
            }
        )
    }

    private func setTransport(_ settings: ConnectionSettings) throws(CurlError) {
        try CurlError.check(segdl_easy_set_protocols(pointer, "http,https"))
        // Redirects are followed by the probe: libcurl 7.88 would carry -H header lines to another host.
        try CurlError.check(segdl_easy_set_follow_location(pointer, 0))
        let version = settings.httpVersion == .http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1
        try CurlError.check(segdl_easy_set_http_version(pointer, Int(version)))
        try CurlError.check(segdl_easy_set_http09_allowed(pointer, 0))
        try CurlError.check(segdl_easy_set_user_agent(pointer, settings.userAgent))
        try CurlError.check(segdl_easy_set_connect_timeout_ms(pointer, settings.connectTimeoutMilliseconds))
        try CurlError.check(segdl_easy_set_no_signal(pointer, 1))
        // Else the progress callback, which ends what libcurl would not, is never called.
        try CurlError.check(segdl_easy_set_no_progress(pointer, 0))
        try CurlError.check(segdl_easy_set_suppress_connect_headers(pointer, 1))
        try CurlError.check(segdl_easy_set_tcp_keepalive(pointer, 1))
        // A stop must not wait for a look-up that a black hole answers (9 s measured).
        try CurlError.check(segdl_easy_set_quick_exit(pointer, 1))
        // Switches the cookie engine on, and reads no file.
        try CurlError.check(segdl_easy_set_cookie_file(pointer, ""))
        // Which hosts need no proxy was decided before (ProxyRules): an empty list keeps libcurl from the environment.
        try CurlError.check(segdl_easy_set_no_proxy(pointer, ""))
        try setAddresses(settings)
    }

    private func setAddresses(_ settings: ConnectionSettings) throws(CurlError) {
        let family =
            switch settings.addressFamily {
            case .any: CURL_IPRESOLVE_WHATEVER
            case .ipv4: CURL_IPRESOLVE_V4
            case .ipv6: CURL_IPRESOLVE_V6
            }
        try CurlError.check(segdl_easy_set_ip_resolve(pointer, Int(family)))
        try CurlError.check(segdl_easy_set_interface(pointer, settings.interface))
        try CurlError.check(segdl_easy_set_resolve(pointer, resolve.pointer))
    }

    private func setTrust(_ settings: ConnectionSettings) throws(CurlError) {
        if !settings.verifiesCertificates {
            try CurlError.check(segdl_easy_set_ssl_verify_peer(pointer, 0))
            try CurlError.check(segdl_easy_set_ssl_verify_host(pointer, 0))
        }
        if let file = settings.certificateAuthorityFile {
            try CurlError.check(segdl_easy_set_ca_info(pointer, file))
            try CurlError.check(segdl_easy_set_proxy_ca_info(pointer, file))
        }
        // A CA folder switches off libcurl's cache of the trust store: 18 ms of CPU for each TLS connection, not 1.9.
        if settings.certificateAuthorityFile != nil || CurlGlobal.defaultCertificateFile != nil {
            try CurlError.check(segdl_easy_set_ca_path(pointer, nil))
            try CurlError.check(segdl_easy_set_proxy_ca_path(pointer, nil))
        }
        // OpenSSL would ask for the password of an encrypted key on the terminal, once a connection.
        try CurlError.check(segdl_easy_set_key_password(pointer, ""))
    }
}

// MARK: - Requests

extension EasyHandle {
    /// Sets everything that differs from request to request. The header list must outlive the transfer.
    func prepare(
        _ request: TransferRequest,
        headers: borrowing TextList,
        context: UnsafeMutableRawPointer,
        callbacks: Callbacks
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
        try CurlError.check(segdl_easy_set_cookie(pointer, request.cookies))
        try setRoute(request.route, isTunnel: request.url.scheme == "https")
        try setCertificate(request.certificate)
        try CurlError.check(segdl_easy_set_forbid_reuse(pointer, 0))
        try CurlError.check(segdl_easy_set_fresh_connect(pointer, request.needsFreshConnection ? 1 : 0))
        try CurlError.check(segdl_easy_set_write_function(pointer, callbacks.onBytes))
        try CurlError.check(segdl_easy_set_header_function(pointer, callbacks.onHead))
        try CurlError.check(segdl_easy_set_progress_function(pointer, callbacks.onProgress))
        try CurlError.check(segdl_easy_set_opensocket_function(pointer, callbacks.onOpen))
        try CurlError.check(segdl_easy_set_sockopt_function(pointer, callbacks.onSocket))
        try CurlError.check(segdl_easy_set_prereq_function(pointer, callbacks.onConnection))
        try direct(to: context)
    }

    /// What libcurl calls in a transfer, each with the context.
    struct Callbacks {
        /// Told of each piece of body.
        let onBytes: segdl_write_callback
        /// Told of each line of a head, a trailer or an interim answer.
        let onHead: segdl_write_callback
        /// Told now and then; whatever libcurl does, it does so within it.
        let onProgress: segdl_progress_callback
        /// Opens each socket.
        let onOpen: segdl_opensocket_callback
        /// Told of each socket before it is connected.
        let onSocket: segdl_sockopt_callback
        /// Told when there is a connection, an old or a new one, and the request is about to be sent.
        let onConnection: segdl_prereq_callback
    }

    private func setRoute(_ route: ProxyRules.Route, isTunnel: Bool) throws(CurlError) {
        let proxy: Proxy?
        switch route {
        case .direct: proxy = nil
        case .proxy(let chosen, _): proxy = chosen
        // OriginScope admits no such URL; a direct request would be what the user did not want.
        case .refused: throw CurlError(CURLE_COULDNT_RESOLVE_PROXY)
        }
        try CurlError.check(segdl_easy_set_proxy(pointer, proxy?.address ?? ""))
        try CurlError.check(segdl_easy_set_proxy_user_name(pointer, proxy?.credentials?.user))
        try CurlError.check(segdl_easy_set_proxy_password(pointer, proxy?.credentials?.password))
        // With a choice, libcurl asks without credentials first and takes the best that the proxy offers. Outside of CONNECT
        // it would take the cookies of that 407 for the server's. Negotiate and NTLM are no choice: they would use who is
        // logged in, whom nobody has named.
        let methods = isTunnel ? segdl_auth_basic_or_digest : segdl_auth_basic
        try CurlError.check(segdl_easy_set_proxy_auth(pointer, methods))
    }

    private func setCertificate(_ certificate: DownloadRequest.ClientCertificate?) throws(CurlError) {
        try CurlError.check(segdl_easy_set_ssl_cert(pointer, certificate?.file))
        try CurlError.check(segdl_easy_set_ssl_key(pointer, certificate?.keyFile))
    }

    /// Sets the size of the buffer that the socket is read into, in bytes; not while a transfer is under way.
    ///
    /// - Returns: `false` where libcurl keeps the one that it has: that of a transfer that ended before it had a connection,
    ///   for instance since nobody knows the host (libcurl 7.88, `CURLE_BAD_FUNCTION_ARGUMENT`).
    func setReceiveBuffer(size: Int) throws(CurlError) -> Bool {
        let code = segdl_easy_set_buffer_size(pointer, size)
        guard code != CURLE_BAD_FUNCTION_ARGUMENT else { return false }
        try CurlError.check(code)
        return true
    }

    /// Replaces all cookies of the handle.
    ///
    /// - Parameter lines: Lines of Netscape's cookie file.
    func setCookies(_ lines: [String]) throws(CurlError) {
        try CurlError.check(segdl_easy_set_cookie_list(pointer, "ALL"))
        for line in lines { try CurlError.check(segdl_easy_set_cookie_list(pointer, line)) }
    }

    /// Gives the callbacks a context from now on; it outlives the transfer.
    func direct(to context: UnsafeMutableRawPointer) throws(CurlError) {
        try CurlError.check(segdl_easy_set_private_data(pointer, context))
        try CurlError.check(segdl_easy_set_write_data(pointer, context))
        try CurlError.check(segdl_easy_set_header_data(pointer, context))
        try CurlError.check(segdl_easy_set_progress_data(pointer, context))
        try CurlError.check(segdl_easy_set_opensocket_data(pointer, context))
        try CurlError.check(segdl_easy_set_sockopt_data(pointer, context))
        try CurlError.check(segdl_easy_set_prereq_data(pointer, context))
    }

    /// The error of a transfer that ended with `code`, with the details that libcurl wrote.
    func error(_ code: CURLcode, of request: TransferRequest) -> CurlError {
        let detail = String(cString: errorText)
        var openedCount = 1
        let isOnUsedConnection = segdl_easy_get_num_connects(pointer, &openedCount) == CURLE_OK && openedCount == 0
        guard case .proxy(let proxy, _) = request.route else {
            return CurlError(code, detail: detail, isOnUsedConnection: isOnUsedConnection)
        }
        return CurlError(
            code,
            detail: detail,
            proxy: proxy.authority,
            refusal: ProxyRefusal(of: pointer, code),
            isOnUsedConnection: isOnUsedConnection
        )
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

/// Closes the connection of a transfer that ends before its body does. libcurl does so by itself for HTTP/1.1; over
/// HTTP/2 it would only reset the stream, and the next request would go over a connection that may be dead.
func forbidReuse(of easy: UnsafeMutableRawPointer) {
    _ = segdl_easy_set_forbid_reuse(easy, 1)
}

/// The time that a handle's new TCP connection took, from the name's addresses on.
func connectTime(of easy: UnsafeMutableRawPointer) -> Duration {
    var (lookedUp, connected): (curl_off_t, curl_off_t) = (0, 0)
    guard segdl_easy_get_name_lookup_time(easy, &lookedUp) == CURLE_OK,
        segdl_easy_get_connect_time(easy, &connected) == CURLE_OK
    else { return .zero }
    return .microseconds(max(0, connected - lookedUp))
}

/// Whether a handle's last response sets cookies.
func setsCookies(_ easy: UnsafeMutableRawPointer) -> Bool {
    var header: UnsafeMutablePointer<curl_header>?
    return curl_easy_header(easy, "Set-Cookie", 0, UInt32(CURLH_HEADER), -1, &header) == CURLHE_OK
}

/// The bytes of a field as text, whatever their encoding.
private func text(_ bytes: UnsafeMutablePointer<CChar>?) -> String {
    guard let bytes else { return "" }
    return String(fieldBytes: UnsafeRawBufferPointer(start: bytes, count: strlen(bytes)))
}
