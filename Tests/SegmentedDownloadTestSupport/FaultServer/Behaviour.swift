/// How one request is answered: what an honest server would do, unless a property says otherwise.
///
/// A ``Route`` holds one, and rules that change it for some requests. All properties work together, for example a
/// shifted Content-Range on a chunked body that is cut after 1000 bytes.
package struct Behaviour: Sendable {
    // MARK: The resource

    /// What the resource consists of.
    package var content: Content
    /// Its validator.
    package var etag = ETag.ofContent
    /// The Last-Modified field.
    package var lastModified: String? = "Thu, 01 Jan 2026 00:00:00 GMT"
    /// The Content-Type field.
    package var contentType: String? = "application/octet-stream"
    /// The Content-Disposition field.
    package var contentDisposition: String?
    /// Fields that replace the server's own of the same name, or are added where there are none.
    package var fields: HTTPFields = [:]
    /// Names of fields that are left out of the answer.
    package var removedFields: Set<String> = []

    // MARK: Before the answer

    /// How long to wait before the status line is sent.
    package var delay = Duration.zero
    /// Whether nothing is sent until ``FaultServer/release()`` is called.
    package var awaitsRelease = false
    /// What is done instead of answering by HTTP.
    package var answer = Answer.http
    /// Basic credentials, `user:password`, without which the answer is 401.
    package var credentials: String?
    /// How many requests for this route may be under way at once; what is done with more says ``surplus``.
    package var maximumConcurrentRequests: Int?
    /// How many requests for this route are served in any span of time; what is done with more says ``surplus``.
    package var maximumRate: Rate?
    /// What becomes of a request beyond ``maximumConcurrentRequests`` or ``maximumRate``.
    package var surplus = Surplus.status(503)
    /// The Retry-After field of a surplus request's answer.
    package var surplusRetryAfter = RetryAfter.none

    // MARK: The head

    /// How long to wait before each byte of the head.
    package var headInterval = Duration.zero
    /// A status that replaces the natural one (200, 206 or 416). From 300 on the body is a short text.
    package var status: Int?
    /// The Accept-Ranges field.
    package var acceptRanges: String? = "bytes"
    /// How a Range field is answered.
    package var ranges = RangeAnswer.partial
    /// What an If-Range field does.
    package var ifRange = IfRange.compared
    /// Which bytes a ranged request gets.
    package var window = Window.asked
    /// The part that a request without a Range field gets, as a 206; `nil` for the whole.
    package var unrangedWindow: Range<Int64>?
    /// Fields of a 103 (Early Hints, RFC 8297) that is sent before the answer's own head; none is sent where it is nil.
    package var earlyHints: HTTPFields?
    /// What the Content-Range field of a 206 says.
    package var contentRange = ContentRange.honest

    // MARK: The body

    /// How the body's end is told.
    package var framing = Framing.length
    /// Fields after the last chunk of a ``Framing/chunked`` body.
    package var trailers: HTTPFields = [:]
    /// Bytes sent beyond the promised body.
    package var surplusBytes = 0
    /// How long those come after the body: a client that has all that was promised goes on meanwhile.
    package var surplusDelay = Duration.zero
    /// Where the body is broken off.
    package var cut: Cut?
    /// Body bytes after which nothing more is sent, until the client closes or ``FaultServer/release()`` is called.
    package var stallAfter: Int64?
    /// Body bytes per second of this connection. A new request on the same connection gets no burst for free.
    package var bytesPerSecond: Int64?
    /// From where on the body's bytes come one by one.
    package var dribble: Dribble?
    /// What becomes of the connection after a complete answer.
    package var afterwards = Afterwards.keepAlive

    /// The behaviour of an honest server that has `content`.
    package init(_ content: Content) {
        self.content = content
    }

    /// Answers with a status and a short text.
    ///
    /// - Parameters:
    ///   - status: Such as 503.
    ///   - retryAfter: The Retry-After field.
    package mutating func fail(_ status: Int, retryAfter: String? = nil) {
        self.status = status
        fields["Retry-After"] = retryAfter
    }

    /// Answers with a redirect.
    ///
    /// - Parameters:
    ///   - location: The Location field, absolute or relative.
    ///   - status: 301, 302, 303, 307 or 308.
    package mutating func redirect(to location: String, status: Int = 302) {
        self.status = status
        fields["Location"] = location
    }
}
