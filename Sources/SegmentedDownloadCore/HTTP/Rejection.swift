/// Why no byte of an answer may be written.
package enum Rejection: Equatable, Sendable {
    /// A 200 to a ranged request: the whole resource instead of the part; and whether it is the resource as known.
    case rangesIgnored(Sameness)
    /// A 206 with another part than the one asked for, or with more.
    case wrongWindow
    /// A 206 that does not say which part it holds.
    case missingContentRange
    /// A 206 whose Content-Range means nothing.
    case malformedContentRange
    /// A 206 that gives the total as `*`, where no length is known either.
    case unknownTotal
    /// A Content-Length that means nothing, or that contradicts the Content-Range.
    case contradictoryLength
    /// The resource has another length than before.
    case lengthChanged
    /// The resource has another strong ETag, or another Last-Modified, than before.
    case validatorsChanged
    /// The body is encoded, although identity was asked for, or encoded otherwise than before.
    case encoded
    /// Several parts in MIME form, although one was asked for.
    case multipart
    /// A web page where the resource was something else: a captive portal or a login page.
    case captive
    /// 416, and the length that it tells, where it does.
    case rangeNotSatisfiable(total: Int64?)
    /// A redirect; the location is untrusted, may be relative, and is `nil` where it is missing or malformed.
    case redirect(location: String?)
    /// Header fields, interim answers or trailers without end, or a line that is too long.
    case endlessHead
    /// Any other status.
    case status(Int, retryAfter: RetryAfter?)
}

extension Rejection: CustomStringConvertible {
    /// What the server did, to follow "the server": no text of the server stands in it.
    package var description: String {
        switch self {
        case .rangesIgnored(.different): "sent the whole of a changed file instead of the part asked for"
        case .rangesIgnored: "ignored the range asked for and sent the whole file"
        case .wrongWindow: "sent another part of the file than the one asked for"
        case .missingContentRange: "sent a part of the file without saying which"
        case .malformedContentRange: "sent a part of the file with a Content-Range that makes no sense"
        case .unknownTotal: "sent a part of the file without telling its length"
        case .contradictoryLength: "sent lengths that contradict each other"
        case .lengthChanged: "has another length for the file than before"
        case .validatorsChanged: "has another version of the file than before"
        case .encoded: "encoded the file although it was asked not to"
        case .multipart: "sent several parts although one was asked for"
        case .captive: "sent a web page instead of the file"
        case .rangeNotSatisfiable: "answered 416: it has no such part of the file"
        case .redirect(location: nil): "redirected without a usable location"
        case .redirect: "redirected to another address"
        case .endlessHead: "sent header fields without end"
        case .status(let status, _): "answered \(status)"
        }
    }
}
