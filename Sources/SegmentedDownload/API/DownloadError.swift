internal import SegmentedDownloadCore

/// Why a download, or a session, failed: the kind, one sentence for a person, and what lay beneath it.
///
/// Whatever the kind, what was downloaded stays resumable unless the message says otherwise.
public struct DownloadError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of a failure. `segdl` maps each to an exit status.
    public enum Kind: String, Sendable, Equatable, CaseIterable {
        /// A bad option, URL or combination; nothing was fetched.
        case usage
        /// The file system: permission, room, a name that is taken, a lock that is held.
        case localFile
        /// Resolving, connecting, a reset, a timeout, a stall, a body that was cut short.
        case network
        /// A certificate that is not trusted, or a handshake that fails for good.
        case tls
        /// The server, or a proxy, wants other credentials (401, 407).
        case authentication
        /// Answers that contradict each other, a resource that changed, too many redirects.
        case `protocol`
        /// The server said no: other 4xx and 5xx.
        case server
        /// A digest that does not match.
        case checksum
        /// ``Download/cancel()`` was called.
        case cancelled
        /// Anything else.
        case other
    }

    /// The kind of the failure.
    public var kind: Kind
    /// One sentence: what happened, where, and what to do. Holds no secret and no raw text of a server.
    public var message: String
    /// What the layer beneath said, for instance libcurl's or the system's text; `nil` where there is none.
    public var underlying: String?
    /// The URL concerned, without user name, password, query and fragment; `nil` where none is concerned.
    public var url: String?

    /// Makes an error. Characters of the texts that a terminal would obey become `?`, so that no message carries a
    /// server's.
    ///
    /// - Parameters:
    ///   - kind: The kind of the failure.
    ///   - message: One sentence that says what happened and what to do.
    ///   - underlying: What the layer beneath said.
    ///   - url: The URL concerned, already redacted.
    public init(_ kind: Kind, _ message: String, underlying: String? = nil, url: String? = nil) {
        self.kind = kind
        self.message = message.printable
        self.underlying = underlying?.printable
        self.url = url?.printable
    }

    /// What happened without what to do: the message up to its semicolon or its full stop.
    var what: String {
        let bytes = Array(message.utf8)
        // A URL may hold a semicolon, but no space.
        let end = bytes.indices.first { bytes[$0...].starts(with: "; ".utf8) }
        return String(decoding: bytes[..<(end ?? bytes.endIndex)], as: UTF8.self).trimmingFullStop
    }

    /// The message, followed by what the layer beneath said.
    public var description: String {
        underlying.map { "\(message) (\($0))" } ?? message
    }
}

extension String {
    fileprivate var trimmingFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}
