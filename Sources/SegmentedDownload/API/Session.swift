internal import SegmentedDownloadLocking
import Dispatch
internal import SegmentedDownloadCore

/// What one run shares: workers, DNS and TLS sessions, and the connection budget. A program makes one, or several.
///
/// The downloads of a session run one after the other, in the order in which they were started, each with the whole
/// budget. All members may be called from any thread.
public final class Session: Sendable {
    private let options: SessionOptions
    private let pool: WorkerPool
    private let access: SessionAccess
    private let hosts: HostRecords
    private let queue = DispatchQueue(label: "segdl.session")
    private let open = Locked<[Download]?>([])

    /// Makes a session and starts its workers.
    ///
    /// - Parameter options: What all its downloads share.
    /// - Throws: `usage` where an option can't be meant, `localFile` where a file can't be read, `other` where the process may not open enough descriptors.
    public init(_ options: SessionOptions = SessionOptions()) throws(DownloadError) {
        guard (1...512).contains(options.jobs) else {
            throw DownloadError(.usage, "A session has 1 to 512 connections, not \(options.jobs).")
        }
        for entry in options.resolve { try ResolveEntry.check(entry) }
        self.options = options
        access = try SessionAccess(options)
        hosts = HostRecords(options)
        pool = try WorkerPool(options)
    }

    deinit { close() }

    /// Starts a download. Returns at once; failures, even of the URL's form, come from ``Download/wait()``.
    ///
    /// - Parameters:
    ///   - request: What to fetch, and where to.
    ///   - onEvent: Told what happens. See ``DownloadEvent`` for where it runs.
    /// - Returns: The download, under way.
    public func start(
        _ request: DownloadRequest,
        onEvent: @escaping @Sendable (DownloadEvent) -> Void = { _ in }
    ) -> Download {
        let download = Download(hosts: hosts, onEvent: onEvent)
        let isOpen = open.withLock { downloads in
            downloads?.append(download)
            return downloads != nil
        }
        if !isOpen { download.cancel() }
        queue.async { [options, pool, access, open] in
            download.run(request, options: options, pool: pool, access: access)
            open.withLock { downloads in downloads?.removeAll { $0 === download } }
        }
        return download
    }

    /// Cancels what is under way, and returns when all workers have ended. Not to be called by an `onEvent`, nor may the
    /// last reference to a session end there: its own queue would wait for itself. Downloads that are started later are
    /// cancelled at once.
    public func close() {
        let downloads = open.withLock { downloads in
            defer { downloads = nil }
            return downloads ?? []
        }
        for download in downloads { download.cancel() }
        queue.sync {}
        pool.close()
    }

    /// libcurl's version and its TLS library's, for `--version`.
    public static var transportVersion: String { CurlGlobal.version }
}
