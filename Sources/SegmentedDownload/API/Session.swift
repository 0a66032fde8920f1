internal import SegmentedDownloadLocking
import Dispatch
internal import SegmentedDownloadCore

/// What one run shares: workers, DNS and TLS sessions, what is known of hosts, and the connections.
///
/// Downloads run at the same time: one that was started earlier has the first claim on a connection that comes free, and
/// one that was started later is opened when the open ones can't use a free connection. All members may be called from
/// any thread.
public final class Session: Sendable {
    private let options: SessionOptions
    let pool: WorkerPool
    private let access: SessionAccess
    private let hosts: HostRecords
    private let budget: ConnectionBudget
    /// `nil` once the session is closed or cancelled.
    private let open = Locked<[ObjectIdentifier: Download]?>([:])
    private let running = DispatchGroup()

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
        let restingLimit = ConnectionBudget.restingLimit
        budget = ConnectionBudget(
            jobs: options.jobs,
            restingLimit: try DescriptorLimit.raise(forConnections: options.jobs, resting: restingLimit),
            isTuned: options.tunesConnections,
            hosts: hosts
        )
        pool = try WorkerPool(options)
    }

    deinit { close() }

    /// Starts a download. Returns at once; failures, even of the URL's form, come from ``Download/wait()``.
    ///
    /// - Parameters:
    ///   - request: What to fetch, and where to.
    ///   - onEvent: Told what happens. See ``DownloadEvent`` for where it runs.
    /// - Returns: The download, under way or waiting for a connection.
    public func start(
        _ request: DownloadRequest,
        onEvent: @escaping @Sendable (DownloadEvent) -> Void = { _ in }
    ) -> Download {
        let download = Download(hosts: hosts, allotment: budget.makeAllotment(), onEvent: onEvent)
        let isOpen = open.withLock { downloads in
            downloads?[ObjectIdentifier(download)] = download
            return downloads != nil
        }
        if !isOpen { download.cancel() }
        // In the order of the starts, whichever is opened or named first.
        let isPathFree = Target.namedPath(request).map { request.takenPaths?.take($0) ?? true }
        running.enter()
        download.admit(to: budget, origin: try? HTTPURL(request.url).origin) { [options, pool, access, open, running] in
            download.run {
                download.run(request, isPathFree: isPathFree, options: options, pool: pool, access: access)
                open.withLock { downloads in _ = downloads?.removeValue(forKey: ObjectIdentifier(download)) }
                running.leave()
            }
        }
        return download
    }

    /// Blocks until a download that is started now would be opened at once, because those before it can't use a free
    /// connection: so that a long list need not be started whole.
    ///
    /// - Returns: `false` where the session was cancelled or closed.
    public func waitForRoom() -> Bool { budget.waitForRoom() }

    /// The most body bytes a second that all connections of the session bring together; `nil` is no limit, and less than 1
    /// sets none. May be changed while downloads are under way.
    ///
    /// Kept within 3 % over any 2 s, from the first second after a change on; below 32 KiB a second within 1 KiB a read.
    /// A much lower limit closes connections that read in larger pieces, and asks for their rest anew. A stream (the server
    /// has no ranges) keeps its pieces of 16 KiB.
    public var rateLimit: Int64? {
        get { pool.rateLimiter.bytesPerSecond }
        set {
            open.withLock { downloads in
                guard downloads != nil else { return }
                pool.limitRate(to: newValue)
            }
        }
    }

    /// Cancels what is under way, and whatever is started later. Returns at once.
    public func cancel() {
        let downloads = open.withLock { downloads in
            defer { downloads = nil }
            return downloads ?? [:]
        }
        for download in downloads.values { download.cancel() }
        budget.close()
    }

    /// As ``cancel()``, and returns when all downloads and workers have ended. Not to be called by an `onEvent`, nor may
    /// the last reference to a session end there: a download would wait for itself.
    public func close() {
        cancel()
        running.wait()
        pool.close()
    }

    /// libcurl's version and its TLS library's, for `--version`.
    public static var transportVersion: String { CurlGlobal.version }
}
