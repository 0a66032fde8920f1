internal import SegmentedDownloadCore

/// Asks the server what the resource is: HEAD, and where that is of no use a ranged GET whose bytes are kept.
struct Prober {
    /// What the ranged GET asks for: enough that its bytes are worth keeping.
    static let window: Range<Int64> = 0..<256 * KiB
    private static let redirectLimit = 20

    let pool: WorkerPool
    let control: DownloadControl
    let scope: OriginScope
    let options: SessionOptions
    /// Whether HEAD is worth a try; a server that refused one is not asked again.
    var triesHead: Bool
    /// A file of at most so many bytes comes whole into memory with the answer, while its part file is being opened.
    var collectedByteCount: Int64 = 0
    /// Whether the TCP connections of the segments may be opened while HEAD is under way.
    var preconnects = false
    let isFresh: Bool
    private let isFirst: Bool
    private var warnsOfDowngrade = true
    private var hasGivenWay = false
    /// The date that HEAD told: of an empty file, whose parts are refused with 416, nothing else tells any.
    var dateByHead: Int64?

    /// - Parameters:
    ///   - isFirst: Whether the run has had no usable answer yet. Later ones ask with GET only, since HEAD is not always
    ///     true, and are more patient.
    ///   - isFresh: Whether every request goes over a new connection, past caches in the middle.
    init(
        pool: WorkerPool,
        control: DownloadControl,
        scope: OriginScope,
        options: SessionOptions,
        isFirst: Bool,
        isFresh: Bool
    ) {
        self.pool = pool
        self.control = control
        self.scope = scope
        self.options = options
        self.isFirst = isFirst
        self.isFresh = isFresh
        triesHead = isFirst
    }

    /// Blocks until the server has answered well, or has failed too often.
    mutating func probe() throws(DownloadError) -> Probe {
        let origin = scope.url.origin
        var retry = RetryPolicy(options, answered: !isFirst || control.hosts.with(origin) { $0.hasAnswered })
        while true {
            do throws(ProbeFailure) {
                let probe = try attempt()
                control.hosts.with(origin) { $0.hasAnswered = true }
                return probe
            } catch {
                try wait(after: error, &retry)
            }
        }
    }

    private mutating func wait(after failure: ProbeFailure, _ retry: inout RetryPolicy) throws(DownloadError) {
        switch failure {
        case .final(let error): throw error
        case .transient(let error, let isRefusal):
            // Once: one URL that fails again and again says nothing of what its host bears.
            if isRefusal, !hasGivenWay {
                hasGivenWay = true
                control.allotment.giveWay()
            }
            try control.waitToRetry(scope.url, after: error, &retry, telling: error.what)
        }
    }

    /// Follows the redirects once, from the URL as asked for.
    private mutating func attempt() throws(ProbeFailure) -> Probe {
        var url = scope.url
        for _ in 0...Self.redirectLimit {
            switch triesHead ? try head(url) : try get(url) {
            case .found(let probe): return probe
            case .redirect(let location): url = try follow(location, from: url)
            case .headIsNoUse(let reason, let hasRanges):
                control.detail("HEAD was no use (\(reason)): asking with a \(hasRanges ? "ranged " : "")GET.")
                triesHead = false
                if case .found(let probe) = try step(get(url, isRanged: hasRanges), &url) { return probe }
            }
        }
        throw .final(
            DownloadError(
                .protocol,
                "\(scope.url.redacted) leads to more than \(Self.redirectLimit) redirects; check the URL.",
                url: scope.url.redacted
            )
        )
    }

    /// What an answer leads to.
    enum Step {
        case found(Probe)
        case redirect(String?)
        /// Why, and whether a range may be asked for.
        case headIsNoUse(String, hasRanges: Bool = true)
    }

    /// Takes a redirect at once, so that the GET that a HEAD led to costs no turn.
    private mutating func step(_ step: Step, _ url: inout HTTPURL) throws(ProbeFailure) -> Step {
        if case .redirect(let location) = step { url = try follow(location, from: url) }
        return step
    }

    private mutating func follow(_ location: String?, from url: HTTPURL) throws(ProbeFailure) -> HTTPURL {
        let next: HTTPURL
        do throws(HTTPURL.ParseError) {
            guard let location else { throw .malformed("it has no location") }
            next = try url.resolving(location)
        } catch {
            let problem =
                switch error {
                case .unsupportedScheme: "redirects to an address that is neither http nor https"
                case .malformed: "redirects to an address that makes no sense"
                }
            throw .final(
                DownloadError(.protocol, "The server of \(url.redacted) \(problem); check the URL.", url: url.redacted)
            )
        }
        control.detail("Redirected to \(next.redacted).")
        do throws(DownloadError) {
            try scope.admit(next)
        } catch {
            throw .final(error)
        }
        if next.origin != url.origin {
            control.preconnections.close()
            if let note = scope.proxyNote(for: next) { control.detail(note) }
        }
        if url.isDowngrade(to: next), warnsOfDowngrade {
            warnsOfDowngrade = false
            control.note("The server leads from https to http: the rest is not encrypted.")
        }
        return next
    }
}
