internal import SegmentedDownloadCore

/// How a transfer ended. Whatever it was, the bytes that its writer took were handed to the kernel before.
enum TransferOutcome: Sendable {
    /// The body came whole, as long as the answer promised.
    case completed(ResponseHead)
    /// The lease was shortened, and its new end was reached.
    case cutShort
    /// It was revoked, or its worker closes.
    case revoked
    /// The answer must not be used.
    case rejected(Rejection)
    /// libcurl failed: network, TLS, or a body shorter than its Content-Length.
    case failed(CurlError)
    /// No byte for as long as the stall timeout.
    case stalled
    /// The body ended in order, but before what the answer's Content-Range promised.
    case bodyTooShort
    /// A write failed.
    case fileError(Errno)
    /// A stream brought other bytes than those held.
    case heldBytesDiffer

    init(_ failure: RangeWriter.Failure) {
        switch failure {
        case .file(let errno): self = .fileError(errno)
        case .heldBytesDiffer: self = .heldBytesDiffer
        }
    }
}

extension TransferOutcome {
    /// In a few words, for events and messages; holds no text of a server.
    var summary: String {
        switch self {
        case .completed: "complete"
        case .cutShort: "another connection brings the rest"
        case .revoked: "its bytes were taken back"
        case .rejected(let rejection): "the server \(rejection)"
        case .failed(let error): error.text
        case .stalled: "no byte came for too long"
        case .bodyTooShort: "the body ended too early"
        case .fileError(let errno): "\(errno)"
        case .heldBytesDiffer: "the server sent other bytes than before"
        }
    }
}

/// What the owner of a transfer makes of an answer, before its first body byte is taken.
enum HeadDecision: Sendable {
    /// Take the body. It ends at the offset `end` in the resource; `nil`: nobody knows.
    case accept(end: Int64?)
    /// Hold it until the owner says what is to become of it. Its body ends as `accept` says.
    case pause(end: Int64?)
    /// Collect the body in memory: a small one. Where it takes its time, the owner is told that the answer is held.
    case collect(end: Int64)
    /// Throw the answer away.
    case reject(Rejection)

    /// Does at once what a verdict allows.
    init(_ verdict: ResponseCheck.Verdict) {
        switch verdict {
        case .accept(let end): self = .accept(end: end)
        case .reject(let rejection): self = .reject(rejection)
        }
    }
}
