/// What happens to a download, as it happens. Events come in order, on the download's own threads: a handler returns
/// soon and blocks on nothing.
public enum DownloadEvent: Sendable, Equatable {
    /// Name, lock and journal exist; the transfer begins.
    public struct Start: Sendable, Equatable {
        /// The URL, without user name, password, query and fragment.
        public var url: String
        /// The path of the final file.
        public var path: String
        /// The length in bytes; `nil` where the server does not tell.
        public var length: Int64?
        /// The number of fixed segments; 0 where the length is unknown.
        public var segmentCount: Int
        /// Bytes that an earlier run left and that are not fetched again.
        public var resumedByteCount: Int64
        /// Whether the file comes as one plain stream, because the server has no ranges or tells no length.
        public var isSingleStream: Bool
    }

    /// Something happened to one connection.
    public struct Connection: Sendable, Equatable {
        /// What happened.
        public enum Change: String, Sendable, Equatable {
            /// It begins to bring the bytes of one request, over a TCP connection that is new or stood.
            case opened
            /// A request ended and its connection may be used again.
            case closed
            /// A request was ended before its body was, since another connection took the rest.
            case cutShort = "cut short"
            /// A request failed.
            case failed
        }

        /// The connection's number, 0 up to the session's `jobs` - 1.
        public var number: Int
        /// What happened.
        public var change: Change
        /// Why, in a few words.
        public var reason: String
    }

    /// A round of connections failed and is tried again.
    public struct Retry: Sendable, Equatable {
        /// Failed rounds in a row in which no byte came, this one included; 0 where bytes came meanwhile.
        public var round: Int
        /// How long the next request waits.
        public var wait: Duration
        /// Why, in a few words.
        public var reason: String
    }

    /// See ``Start``.
    case started(Start)
    /// See ``Connection``.
    case connection(Connection)
    /// See ``Retry``.
    case retry(Retry)
    /// A long phase begins.
    case phase(DownloadProgress.Phase)
    /// A sentence that the user should see, for instance what was thrown away and why.
    case note(String)
    /// A sentence for `--verbose`: what was decided and why.
    case detail(String)
}
