/// What is checked before a byte of an answer is written (docs/architecture.md).
package struct ResponseCheck: Sendable {
    /// What a request asked for.
    package enum Asked: Equatable, Sendable {
        /// A part, half-open, not empty; it may reach beyond the resource's end.
        case range(Range<Int64>)
        /// The whole resource, as one stream from 0.
        case whole
    }

    /// What may be done with an answer's body.
    package enum Verdict: Equatable, Sendable {
        /// The body may be written from the start of what was asked on, and must be exactly so long that it ends at
        /// `end` (an offset in the resource; `nil`: nobody knows). A part may end nearer than it was asked to.
        case accept(end: Int64?)
        /// No byte may be written.
        case reject(Rejection)
    }

    /// The resource as it is known so far; ``Resource/unknown`` for the first answer of all.
    package let resource: Resource
    /// What the request asked for.
    package let asked: Asked

    /// Makes a check.
    ///
    /// - Parameters:
    ///   - resource: The resource as it is known so far.
    ///   - asked: What the request asked for.
    package init(resource: Resource, asked: Asked) {
        self.resource = resource
        self.asked = asked
    }

    /// Judges an answer by its head.
    ///
    /// A 200 to a range that covers the whole known length is as good as a 206. Any other 200 to a ranged request is
    /// ``Rejection/rangesIgnored(_:)``; who can use it as a stream from 0 checks it again as ``Asked/whole``.
    package func verdict(for head: ResponseHead) -> Verdict {
        switch head.status {
        case 206: partial(head)
        case 200: whole(head)
        // To a request without a range it is a refusal like any other.
        case 416 where asked != .whole: .reject(.rangeNotSatisfiable(total: head.contentRange.value?.total))
        case let status where StatusKind(status: status) == .redirect: .reject(.redirect(location: head.location))
        default: .reject(.status(head.status, retryAfter: head.retryAfter))
        }
    }

    /// The window of offsets that the answer may lie in.
    private var askedWindow: Range<Int64> {
        switch asked {
        case .range(let range): range
        case .whole: 0..<(resource.length ?? .max)
        }
    }

    private func partial(_ head: ResponseHead) -> Verdict {
        if let rejection = wrongBody(head) { return .reject(rejection) }
        switch head.contentRange {
        case .absent: return .reject(.missingContentRange)
        case .malformed: return .reject(.malformedContentRange)
        case .value(let contentRange):
            // The form `bytes */total` belongs to a 416.
            guard let window = contentRange.range else { return .reject(.malformedContentRange) }
            if let rejection = change(total: contentRange.total, atLeast: window.upperBound, head) {
                return .reject(rejection)
            }
            return verdict(window, head)
        }
    }

    private func verdict(_ window: Range<Int64>, _ head: ResponseHead) -> Verdict {
        guard window.lowerBound == askedWindow.lowerBound, window.upperBound <= askedWindow.upperBound else {
            return .reject(.wrongWindow)
        }
        // A part that nobody asked for is good for a stream only where it is the whole.
        if asked == .whole, window.upperBound < head.contentRange.value?.total ?? askedWindow.upperBound {
            return .reject(.wrongWindow)
        }
        switch head.contentLength {
        case .absent: break
        case .value(let length) where length == window.upperBound - window.lowerBound: break
        case .value, .malformed: return .reject(.contradictoryLength)
        }
        return .accept(end: window.upperBound)
    }

    private func whole(_ head: ResponseHead) -> Verdict {
        if let rejection = wrongBody(head) { return .reject(rejection) }
        if case .range(let range) = asked, range.lowerBound != 0 || range.upperBound < resource.length ?? .max {
            return .reject(.rangesIgnored(resource.sameness(with: Resource(head))))
        }
        guard head.contentLength != .malformed else { return .reject(.contradictoryLength) }
        let length = head.contentLength.value ?? resource.length
        if let rejection = change(total: length, atLeast: 0, head) { return .reject(rejection) }
        return .accept(end: length)
    }

    /// Bodies that are not the resource's bytes at all, whatever their length says.
    private func wrongBody(_ head: ResponseHead) -> Rejection? {
        if head.mediaType == "multipart/byteranges" { return .multipart }
        if resource.isReplacedByPage(Resource(head)) { return .captive }
        return head.contentEncoding == resource.contentEncoding ? nil : .encoded
    }

    /// Whether the answer is about another resource than the known one.
    ///
    /// A total of `*` in a 206 is good enough where the length is known and the part lies within it.
    private func change(total: Int64?, atLeast end: Int64, _ head: ResponseHead) -> Rejection? {
        if let length = resource.length {
            guard total ?? length == length, end <= length else { return .lengthChanged }
        } else if total == nil, head.status == 206 {
            return .unknownTotal
        }
        return resource.validators.sameness(with: Validators(head)) == .different ? .validatorsChanged : nil
    }
}
