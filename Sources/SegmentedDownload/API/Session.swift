/// What one run shares: workers, DNS and TLS sessions, and the connection budget. A program makes one, or several.
public final class Session: Sendable {
    /// Makes a session and starts its workers.
    ///
    /// - Parameter options: What all its downloads share.
    /// - Throws: `usage` where an option is out of range, `other` where the process may not open enough descriptors.
    public init(_ options: SessionOptions = SessionOptions()) throws(DownloadError) {
        _ = options
    }

    /// Starts a download. Returns at once; failures, even of the URL's form, come from ``Download/wait()``.
    ///
    /// - Parameters:
    ///   - request: What to fetch, and where to.
    ///   - onEvent: Told what happens. See ``DownloadEvent`` for where it runs.
    public func start(
        _ request: DownloadRequest,
        onEvent: @escaping @Sendable (DownloadEvent) -> Void = { _ in }
    ) -> Download {
        fatalError("skeleton \(request) \(onEvent)")
    }

    /// Cancels what is under way, and returns when all workers have ended.
    public func close() {}

    /// libcurl's version and its TLS library's, for `--version`.
    public static var transportVersion: String { fatalError("skeleton") }
}
