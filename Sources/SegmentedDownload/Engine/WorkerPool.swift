internal import CSegdlShims

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// A session's workers: as many as cores, at most one a connection.
final class WorkerPool: Sendable {
    /// The connection budget: connections are numbered 0 up to this.
    let jobs: Int
    let rateLimiter: RateLimiter
    /// Counts where the number of connections is tuned by it.
    let arrivals = ArrivalCounter()
    /// What each connection gathers at least before it is handed to the kernel, in bytes.
    let gatherBufferSize: Int
    private let workers: [Worker]

    init(_ options: SessionOptions) throws(DownloadError) {
        jobs = options.jobs
        rateLimiter = RateLimiter(bytesPerSecond: options.rateLimit)
        let settings = ConnectionSettings(options)
        gatherBufferSize = settings.gatherBufferSize(of: options.jobs - 1)
        let count = min(options.jobs, max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))))
        var workers: [Worker] = []
        do throws(CurlError) {
            try CurlError.check(CurlGlobal.setUp)
            let share = try ShareHandle()
            let connectionCount = (options.jobs + count - 1) / count
            for number in 0..<count {
                workers.append(
                    try Worker(
                        number: number,
                        connectionCount: connectionCount,
                        settings: settings,
                        share: share,
                        rateLimiter: rateLimiter,
                        arrivals: arrivals
                    )
                )
            }
        } catch {
            for worker in workers { worker.close() }
            throw DownloadError(.other, "libcurl could not be set up.", underlying: error.text)
        }
        self.workers = workers
    }

    /// Gives a command to the worker of a connection; see ``Worker/post(_:)``.
    func post(_ command: WorkerCommand, connection: Int) {
        workers[connection % workers.count].post(command)
    }

    /// Tells all workers that the disk has room again.
    func resumeWriting() {
        for worker in workers { worker.post(.resumeWriting) }
    }

    /// Limits the rate of all connections together, from now on; `nil` is no limit.
    func limitRate(to bytesPerSecond: Int64?) {
        rateLimiter.bytesPerSecond = bytesPerSecond
        for worker in workers { worker.post(.applyRateLimit) }
    }

    /// Ends all workers; see ``Worker/close()``.
    func close() {
        for worker in workers { worker.close() }
    }
}
