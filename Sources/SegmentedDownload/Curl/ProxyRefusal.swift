internal import CSegdlShims
internal import SegmentedDownloadCore

/// How a proxy refused to connect to a server.
enum ProxyRefusal: Sendable, Equatable {
    /// An HTTP proxy answered CONNECT with this status.
    case status(Int)
    /// A SOCKS proxy wants other credentials.
    case credentials
    /// A SOCKS proxy does not allow it.
    case forbidden

    /// What a failed transfer's handle tells of it; `nil` where the proxy did not refuse.
    init?(of easy: UnsafeMutableRawPointer, _ code: CURLcode) {
        var connectStatus = 0
        var socksError = 0
        if code == CURLE_PROXY, segdl_easy_get_proxy_error(easy, &socksError) == CURLE_OK {
            switch CURLproxycode(UInt32(clamping: socksError)) {
            case CURLPX_USER_REJECTED, CURLPX_NO_AUTH: self = .credentials
            case CURLPX_REPLY_NOT_ALLOWED: self = .forbidden
            default: return nil
            }
        } else if segdl_easy_get_connect_code(easy, &connectStatus) == CURLE_OK, connectStatus >= 300 {
            self = .status(connectStatus)
        } else {
            return nil
        }
    }

    /// The kind of failure that it is to a user.
    var kind: DownloadError.Kind {
        switch self {
        case .status(let status): StatusKind(status: status) == .authentication ? .authentication : .server
        case .credentials: .authentication
        case .forbidden: .server
        }
    }

    /// Whether the proxy may well connect in a while.
    var isTransient: Bool {
        if case .status(let status) = self { StatusKind(status: status) == .transient } else { false }
    }

    /// What the proxy did, for messages.
    var summary: String {
        switch self {
        case .status(let status): "answered \(status)"
        case .credentials: "does not take these credentials"
        case .forbidden: "does not allow it"
        }
    }
}
