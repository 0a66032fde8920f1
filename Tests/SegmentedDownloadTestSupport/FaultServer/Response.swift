import Foundation

/// An answer before it is sent: head, and where the body's bytes come from.
struct Response: Sendable {
    /// A piece of a body.
    enum Part: Sendable {
        /// Bytes of the resource.
        case content(Content, Range<Int64>)
        /// These bytes.
        case literal([UInt8])

        var length: Int64 {
            switch self {
            case .content(_, let range): range.upperBound - range.lowerBound
            case .literal(let bytes): Int64(bytes.count)
            }
        }
    }

    var status: Int
    var fields: HTTPFields = [:]
    var parts: [Part] = []
    /// Whether the request was turned away (401, 405, one too many): such an answer has none of the script's faults.
    var isRefusal = false

    /// The status line, the fields and the empty line.
    var head: [UInt8] {
        Array("HTTP/1.1 \(status) \(Self.reasons[status] ?? "Status \(status)")\r\n\(fields.wireText)\r\n".utf8)
    }

    /// Bytes of the body before any framing.
    var length: Int64 { parts.reduce(0) { $0 + $1.length } }

    /// What a behaviour answers to a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - behaviour: The behaviour after all rules.
    ///   - requestNumber: Number of the request on its route, from 1; rotating ETags follow it.
    ///   - isSurplus: Whether as many requests are under way already as the behaviour bears.
    init(to request: Request, by behaviour: Behaviour, requestNumber: Int, isSurplus: Bool = false) {
        status = 0
        if request.method != "GET" && request.method != "HEAD" {
            refuse(405)
        } else if let credentials = behaviour.credentials, !request.hasBasic(credentials) {
            refuse(401)
            fields["WWW-Authenticate"] = "Basic realm=\"test\""
        } else if isSurplus, case .status(let surplusStatus) = behaviour.surplus {
            refuse(surplusStatus)
            fields["Retry-After"] = behaviour.surplusRetryAfter.value ?? behaviour.fields["Retry-After"]
        } else if isSurplus, behaviour.surplus == .page {
            refuse(200)
            fields["Content-Type"] = "text/html"
        } else {
            serve(request, behaviour, etag: behaviour.etagField(requestNumber: requestNumber))
            frame(behaviour)
            behaviour.fields.all.forEach { fields[$0.name] = nil }
            behaviour.fields.all.forEach { fields.add($0.name, $0.value) }
        }
        if behaviour.afterwards == .announcedClose { fields["Connection"] = "close" }
        behaviour.removedFields.forEach { fields[$0] = nil }
    }

    private mutating func refuse(_ status: Int) {
        fail(status)
        isRefusal = true
    }

    private mutating func fail(_ status: Int) {
        self.status = status
        parts = [.literal(Array("\(status) \(Self.reasons[status] ?? "")\n".utf8))]
        fields["Date"] = HTTPDate.now
        fields["Content-Type"] = "text/plain"
        fields["Content-Length"] = String(length)
    }

    private mutating func serve(_ request: Request, _ behaviour: Behaviour, etag: String?) {
        if let status = behaviour.status, status >= 300 && status != 416 { return fail(status) }
        status = behaviour.status ?? 200
        let length = behaviour.content.length
        fields["Date"] = HTTPDate.now
        fields["Last-Modified"] = behaviour.lastModified
        fields["ETag"] = etag
        fields["Accept-Ranges"] = behaviour.acceptRanges
        fields["Content-Type"] = behaviour.contentType
        fields["Content-Disposition"] = behaviour.contentDisposition
        parts = [.content(behaviour.content, 0..<length)]
        if let window = behaviour.unrangedWindow, !request.isRanged { return servePart(behaviour, window: window) }
        guard let asked = request.range(length: length) else { return }
        guard behaviour.takesRange(of: request, etag: etag) else { return }
        let isUnsatisfiable = asked.lowerBound >= length
        if isUnsatisfiable || behaviour.status == 416 || behaviour.ranges == .unsatisfiable {
            fail(416)
            fields["Content-Range"] = "bytes */\(length)"
            return
        }
        servePart(behaviour, window: behaviour.windowFor(asked))
    }

    private mutating func servePart(_ behaviour: Behaviour, window: Range<Int64>) {
        status = behaviour.status ?? 206
        let contentRange = behaviour.contentRangeField(window)
        guard behaviour.ranges == .multipart else {
            fields["Content-Range"] = contentRange
            parts = [.content(behaviour.content, window)]
            return
        }
        fields["Content-Type"] = "multipart/byteranges; boundary=SEGDL"
        let partHead = "--SEGDL\r\nContent-Range: \(contentRange ?? "")\r\n\r\n"
        parts = [
            .literal(Array(partHead.utf8)),
            .content(behaviour.content, window),
            .literal(Array("\r\n--SEGDL--\r\n".utf8)),
        ]
    }

    private mutating func frame(_ behaviour: Behaviour) {
        let honestLength = length
        if behaviour.surplusBytes > 0 { parts.append(.literal(Array(repeating: 0x58, count: behaviour.surplusBytes))) }
        fields["Content-Length"] = nil
        switch behaviour.framing {
        case .length: fields["Content-Length"] = String(honestLength)
        case .stated(let stated): fields["Content-Length"] = String(stated)
        case .chunked, .chunkedUnfinished: fields["Transfer-Encoding"] = "chunked"
        case .untilClose: fields["Connection"] = "close"
        }
    }

    private static let reasons = [
        200: "OK", 206: "Partial Content", 301: "Moved Permanently", 302: "Found", 303: "See Other",
        304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect", 400: "Bad Request",
        401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 408: "Request Timeout",
        410: "Gone", 412: "Precondition Failed", 416: "Range Not Satisfiable", 425: "Too Early",
        429: "Too Many Requests", 500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway",
        503: "Service Unavailable", 504: "Gateway Timeout", 505: "HTTP Version Not Supported",
    ]
}

extension Request {
    /// Whether the Authorization field holds these Basic credentials (RFC 7617).
    fileprivate func hasBasic(_ credentials: String) -> Bool {
        fields["Authorization"] == "Basic " + Data(credentials.utf8).base64EncodedString()
    }
}

extension Behaviour {
    /// The ETag field of a route's nth answer.
    fileprivate func etagField(requestNumber: Int) -> String? {
        switch etag {
        case .ofContent: content.etag
        case .none: nil
        case .strong(let tag): "\"\(tag)\""
        case .weak(let tag): "W/\"\(tag)\""
        case .rotating(let tags): tags.isEmpty ? nil : "\"\(tags[(requestNumber - 1) % tags.count])\""
        case .literal(let value): value
        }
    }

    /// Whether a Range field has any effect (RFC 9110 §13.1.5 for If-Range).
    fileprivate func takesRange(of request: Request, etag: String?) -> Bool {
        if ranges == .ignored { return false }
        guard let validator = request.fields["If-Range"] else { return true }
        switch ifRange {
        case .ignored: return true
        case .alwaysDiffers: return false
        case .compared: return validator.hasPrefix("\"") ? validator == etag : validator == lastModified
        }
    }

    /// The bytes that are served where `asked` was asked for, inside the content.
    fileprivate func windowFor(_ asked: Range<Int64>) -> Range<Int64> {
        let all = 0..<content.length
        let inside = asked.clamped(to: all)
        switch window {
        case .asked: return inside
        case .first(let count): return inside.lowerBound..<min(inside.upperBound, inside.lowerBound + count)
        case .shifted(let offset): return (inside.lowerBound + offset..<inside.upperBound + offset).clamped(to: all)
        case .exactly(let range): return range.clamped(to: all)
        }
    }

    fileprivate func contentRangeField(_ range: Range<Int64>) -> String? {
        let total = content.length
        switch contentRange {
        case .honest: return "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total)"
        case .missing: return nil
        case .shifted(let offset): return "bytes \(range.lowerBound + offset)-\(range.upperBound - 1 + offset)/\(total)"
        case .total(let other): return "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(other)"
        case .unknownTotal: return "bytes \(range.lowerBound)-\(range.upperBound - 1)/*"
        case .literal(let value): return value
        }
    }
}

extension Content {
    /// A strong validator that differs where the content does.
    fileprivate var etag: String {
        switch self {
        case .pattern(let pattern): "\"pattern-\(pattern.seed)-\(pattern.length)\""
        case .bytes(let bytes): "\"bytes-\(bytes.reduce(UInt64(bytes.count)) { splitMix64($0 ^ UInt64($1)) })\""
        }
    }
}
