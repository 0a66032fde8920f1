internal import SegmentedDownloadCore

// The two requests, and what their answers tell of the resource.
extension Prober {
    private func request(_ method: TransferRequest.Method, _ url: HTTPURL, range: Range<Int64>? = nil)
        -> TransferRequest
    {
        scope.request(method, url, range: range, fresh: isFresh)
    }

    mutating func head(_ url: HTTPURL) throws(ProbeFailure) -> Step {
        let start = control.now
        let request = SingleRequest(pool: pool, control: control) { _ in .accept(end: nil) }
        let answer: SingleRequest.Answer
        do throws(DownloadError) {
            answer = try request.send(
                self.request(.head, url),
                body: .none,
                patience: options.headPatience,
                onConnect: onConnect
            )
        } catch {
            throw .final(error)
        }
        guard case .ended(.completed(let head), _) = answer else {
            if case .ended(.failed(let error), _) = answer, [.tls, .localFile].contains(error.kind), !error.isTransient
            {
                throw .final(.transfer(error, url))
            }
            if case .ended(let outcome, _) = answer { return .headIsNoUse(outcome.summary) }
            return .headIsNoUse("no answer in time")
        }
        if head.status == 200 { dateByHead = head.lastModified }
        return step(from: head, url, cost: control.now - start)
    }

    /// Opens the other connections of a far server meanwhile.
    private var onConnect: Transfer.OnConnect? {
        // libcurl binds a socket to an interface when it has got it, and none that is connected.
        guard preconnects, options.interface == nil else { return nil }
        return { [control, threshold = options.preconnectThreshold] transfer, address, time in
            guard time >= threshold else { return }
            control.preconnections.open(control.allotment.spareCount, to: address, beside: transfer)
        }
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
    func get(_ url: HTTPURL, isRanged: Bool = true) throws(ProbeFailure) -> Step {
        // Its answer may well be all that there is.
        control.preconnections.close()
        let start = control.now
        let limit = collectedByteCount
        let request = SingleRequest(pool: pool, control: control) { head in
            Self.judge(head, url, isRanged: isRanged, collecting: limit)
        }
        let answer: SingleRequest.Answer
        do throws(DownloadError) {
            answer = try request.send(
                self.request(.get, url, range: isRanged ? Self.window : nil),
                body: .memory(limit: Int(limit))
            )
        } catch {
            throw .final(error)
        }
        let cost = control.now - start
        switch answer {
        case .held(let transfer, let head, let end):
            let held = Probe.Held(owner: request, transfer: transfer, end: end)
            return .found(probe(head, url, held: held, cost: request.cost))
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
    ///
    /// - Parameter limit: A whole file of at most so many bytes is collected meanwhile.
    private static func judge(
        _ head: ResponseHead,
        _ url: HTTPURL,
        isRanged: Bool,
        collecting limit: Int64
    ) -> HeadDecision {
        let isAboutPart = head.status == 206 || head.status == 416 && isRanged
        let window = isRanged ? Self.window : 0..<Int64.max
        let label = head.contentEncoding.flatMap { coding in
            ContentCoding.isLabel(coding, ofFileAt: url.path, mediaType: head.mediaType) ? coding : nil
        }
        let resource = Resource(length: nil, validators: .none, mediaType: nil, contentEncoding: label)
        let check = ResponseCheck(resource: resource, asked: isAboutPart ? .range(window) : .whole)
        switch check.verdict(for: head) {
        case .accept(let end):
            if let end, end <= limit, Resource(head).length == end { return .collect(end: end) }
            return .pause(end: end)
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
        return outcome.isTransient ? .transient(error, isRefusal: outcome.isRefusal) : .final(error)
    }
}
