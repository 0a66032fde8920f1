internal import SegmentedDownloadCore

/// Asks the server what the resource is: HEAD, and where that is of no use a ranged GET whose bytes are kept.
struct Prober {
    /// What the ranged GET asks for: enough that its bytes are worth keeping.
    static let window: Range<Int64> = 0..<256 * KiB
    private static let redirectLimit = 20

    private let pool: WorkerPool
    private let control: DownloadControl
    private let scope: OriginScope
    private let options: SessionOptions
    /// Whether HEAD is worth a try; a server that refused one is not asked again.
    var triesHead: Bool
    private let isFresh: Bool
    private let isFirst: Bool
    private var warnsOfDowngrade = true
    /// The date that HEAD told: of an empty file, whose parts are refused with 416, nothing else tells any.
    private var dateByHead: Int64?

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
        var retry = RetryPolicy(options, answered: !isFirst)
        while true {
            do throws(ProbeFailure) {
                return try attempt()
            } catch {
                try wait(after: error, &retry)
            }
        }
    }

    private func wait(after failure: ProbeFailure, _ retry: inout RetryPolicy) throws(DownloadError) {
        switch failure {
        case .final(let error): throw error
        case .transient(let error): try control.waitToRetry(after: error, &retry, telling: error.what)
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

    private enum Step {
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
        if next.origin != url.origin, let note = scope.proxyNote(for: next) { control.detail(note) }
        if url.isDowngrade(to: next), warnsOfDowngrade {
            warnsOfDowngrade = false
            control.note("The server leads from https to http: the rest is not encrypted.")
        }
        return next
    }
}

// MARK: - The two requests

extension Prober {
    private func request(_ method: TransferRequest.Method, _ url: HTTPURL, range: Range<Int64>? = nil)
        -> TransferRequest
    {
        scope.request(method, url, range: range, fresh: isFresh)
    }

    private mutating func head(_ url: HTTPURL) throws(ProbeFailure) -> Step {
        let start = control.now
        let request = SingleRequest(pool: pool, control: control) { _ in .accept(end: nil) }
        let answer: SingleRequest.Answer
        do throws(DownloadError) {
            answer = try request.send(
                self.request(.head, url),
                body: .none,
                patience: options.headPatience
            )
        } catch {
            throw .final(error)
        }
        guard case .ended(.completed(let head), _) = answer else {
            if case .ended(.failed(let error), _) = answer, error.kind == .tls, !error.isTransient {
                throw .final(.transfer(error, url))
            }
            if case .ended(let outcome, _) = answer { return .headIsNoUse(outcome.summary) }
            return .headIsNoUse("no answer in time")
        }
        if head.status == 200 { dateByHead = head.lastModified }
        return step(from: head, url, cost: control.now - start)
    }

    private func step(from head: ResponseHead, _ url: HTTPURL, cost: Duration) -> Step {
        if StatusKind(status: head.status) == .redirect { return .redirect(head.location) }
        guard head.status == 200 else { return .headIsNoUse("status \(head.status)") }
        guard head.contentEncoding == nil else { return .headIsNoUse("it speaks of an encoded form") }
        let resource = Resource(head)
        // Some servers answer HEAD with a length of 0 for everything that they make on the fly.
        guard let length = resource.length, length > 0 else { return .headIsNoUse("it tells no length") }
        switch head.acceptRanges {
        case .bytes: break
        // The GET is needed anyway, and its word on the length counts.
        case .none: return .headIsNoUse("the server has no ranges", hasRanges: false)
        case .unstated: return .headIsNoUse("it does not tell whether there are ranges")
        }
        return .found(
            Probe(
                url: url,
                resource: resource,
                contentDisposition: head.contentDisposition,
                access: .ranges,
                isFromHead: true,
                held: nil,
                requestCost: cost
            )
        )
    }

    /// - Parameter isRanged: `false` where the server has made nothing of a range.
    private func get(_ url: HTTPURL, isRanged: Bool = true) throws(ProbeFailure) -> Step {
        let start = control.now
        let request = SingleRequest(pool: pool, control: control) { head in
            Self.judge(head, url, isRanged ? Self.window : 0..<Int64.max)
        }
        let answer: SingleRequest.Answer
        do throws(DownloadError) {
            answer = try request.send(
                self.request(.get, url, range: isRanged ? Self.window : nil),
                body: .none
            )
        } catch {
            throw .final(error)
        }
        let cost = control.now - start
        switch answer {
        case .held(let transfer, let head, let end):
            let held = Probe.Held(owner: request, transfer: transfer, end: end)
            return .found(probe(head, url, held: held, cost: cost))
        case .ended(.completed(let head), _):
            // A 200 or 206 without a body: the file is empty.
            return .found(probe(head, url, held: nil, cost: cost))
        case .ended(.rejected(.redirect(let location)), _): return .redirect(location)
        case .ended(.rejected(.rangeNotSatisfiable(total: 0)), _): return .found(emptyFile(url, cost: cost))
        case .ended(.rejected(let rejection), _) where isRanged && rejection.mayRefuseRanges:
            return try get(url, isRanged: false)
        case .ended(let outcome, _): throw failure(outcome, url)
        case .overdue: throw .final(control.stopped)
        }
    }

    /// Holds a usable answer at its first body byte.
    private static func judge(_ head: ResponseHead, _ url: HTTPURL, _ window: Range<Int64>) -> HeadDecision {
        let isPart = head.status == 206
        let label = head.contentEncoding.flatMap { coding in
            ContentCoding.isLabel(coding, ofFileAt: url.path, mediaType: head.mediaType) ? coding : nil
        }
        let resource = Resource(length: nil, validators: .none, mediaType: nil, contentEncoding: label)
        let check = ResponseCheck(resource: resource, asked: isPart ? .range(window) : .whole)
        switch check.verdict(for: head) {
        case .accept(let end): return .pause(end: end)
        case .reject(let rejection): return .reject(rejection)
        }
    }

    private func probe(_ head: ResponseHead, _ url: HTTPURL, held: Probe.Held?, cost: Duration) -> Probe {
        let resource = Resource(head)
        // A connection that ends without a byte proves no empty file.
        let isEmpty = held == nil && (head.isChunked || head.contentLength.value != nil || head.status == 206)
        let length = isEmpty ? 0 : resource.length
        let access: Probe.Access =
            if head.status == 206 {
                .ranges
            } else if length == nil {
                .stream(reason: "the server does not tell the length")
            } else {
                .stream(reason: "the server has no ranges")
            }
        return Probe(
            url: url,
            resource: Resource(
                length: length,
                validators: resource.validators,
                mediaType: resource.mediaType,
                contentEncoding: resource.contentEncoding
            ),
            contentDisposition: head.contentDisposition,
            access: access,
            isFromHead: false,
            held: held,
            requestCost: cost
        )
    }

    private func emptyFile(_ url: HTTPURL, cost: Duration) -> Probe {
        Probe(
            url: url,
            resource: Resource(length: 0, validators: Validators(lastModified: dateByHead), mediaType: nil),
            contentDisposition: nil,
            access: .stream(reason: "the file is empty"),
            isFromHead: false,
            held: nil,
            requestCost: cost
        )
    }

    private func failure(_ outcome: TransferOutcome, _ url: HTTPURL) -> ProbeFailure {
        let error = scope.error(of: outcome, at: url)
        return outcome.isTransient ? .transient(error) : .final(error)
    }
}
