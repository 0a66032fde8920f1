/// One URL that is to become one file.
public struct DownloadRequest: Sendable {
    /// What to do when a file with the final name is there already.
    public enum ExistingFilePolicy: Sendable, Equatable {
        /// Compare length and sample blocks with the server's: equal is a success, anything else an error.
        case check
        /// Leave the file, fetch nothing, and succeed.
        case skip
        /// Take the first `NAME.N` (N from 1) that does not exist.
        case rename
        /// Replace it when, and only when, the new file is complete.
        case overwrite
    }

    /// A user name and password for HTTP authentication, sent to the origin of the URL and to no other.
    public struct Credentials: Sendable, Equatable {
        /// The user name.
        public var user: String
        /// The password.
        public var password: String

        /// Makes credentials.
        public init(user: String, password: String) {
            self.user = user
            self.password = password
        }
    }

    /// A certificate to show to a server that asks for one.
    public struct ClientCertificate: Sendable, Equatable {
        /// A file with the certificate (PEM).
        public var file: String
        /// A file with its private key (PEM), not encrypted; `nil` where ``file`` holds it too.
        public var keyFile: String?

        /// Names the files.
        public init(file: String, keyFile: String? = nil) {
            self.file = file
            self.keyFile = keyFile
        }
    }

    /// The URL as asked for; `http` or `https`.
    public var url: String
    /// The folder that the file goes to; created where it is missing.
    public var directory = "."
    /// The file's name or path, relative to ``directory``; `nil` takes the server's or the URL's name.
    public var output: String?
    /// The fixed segment size in bytes, 64 KiB to 1 GiB. A part file that is resumed keeps its own.
    public var segmentSize: Int64 = 256 * 1024
    /// The most bytes that one Range request asks for, rounded up to whole segments; `nil` sets no limit.
    public var requestSize: Int64?
    /// What to do when the final name is taken.
    public var existing = ExistingFilePolicy.check
    /// The paths that the downloads of one list have taken: a file that would get one of them is refused with an error of
    /// the kind `localFile`, before anything is written. `nil` asks nobody.
    public var takenPaths: TakenPaths?
    /// Whether the server is asked with a ranged GET at once, whose bytes are kept, instead of a HEAD before: for lists of
    /// small files. A file that seems to be there already is asked for with HEAD all the same.
    public var skipsHead = false
    /// Throw part file and journal away first.
    public var restarts = false
    /// Whether data is synced before segments count as finished, and before the final rename.
    public var syncs = true
    /// The digest that the file must have before it gets its name; else the download ends with an error of the kind
    /// `checksum`, and what was fetched stays.
    public var checksum: Checksum?
    /// Whether the file gets the time that the server gives as its last change. Where it gives none, or none that can be
    /// used, a note says so.
    public var usesRemoteTime = false
    /// Header lines (`Name: value`), sent to the origin of the URL and to no other.
    public var headers: [String] = []
    /// The `Referer` field's value.
    public var referer: String?
    /// Credentials for HTTP authentication.
    public var credentials: Credentials?
    /// Cookies (`NAME=VALUE; NAME=VALUE`), sent to the origin of the URL and to no other.
    public var cookies: String?
    /// The certificate to show to the origin of the URL, and to no other.
    public var clientCertificate: ClientCertificate?
    /// Whether the URL, and whatever redirects lead to, must be `https`: else an error of the kind `usage` for the URL,
    /// `protocol` for a redirect.
    public var requiresHTTPS = false

    /// A request with the defaults.
    ///
    /// - Parameter url: The URL as asked for; `http` or `https`.
    public init(url: String) {
        self.url = url
    }
}
