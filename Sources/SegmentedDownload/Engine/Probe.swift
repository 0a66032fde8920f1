internal import SegmentedDownloadCore

/// What a server said of the resource, before any file is made.
struct Probe: Sendable {
    /// How the resource can be fetched.
    enum Access: Sendable, Equatable {
        /// In parts.
        case ranges
        /// As one plain stream from 0, because of the reason.
        case stream(reason: String)
    }

    /// An answer to a GET that is held at its first body byte; its bytes are wanted. A small body may come to its end all
    /// the same, in memory.
    struct Held: Sendable {
        let owner: SingleRequest
        let transfer: Transfer
        /// Where its body ends, as an offset; `nil` where nobody knows.
        let end: Int64?

        /// What there is of the body.
        enum Bytes {
            /// All of it.
            case whole([UInt8])
            /// It is to be handed over or discarded.
            case coming
        }

        /// Claims the body for the part file; `nil` where that was done, or it was discarded, or has failed.
        func claim() -> Bytes? { owner.claim(transfer) }

        /// Lets the body, which was claimed, go on into the part file.
        func handOver(to next: Transfer) { owner.handOver(transfer, to: next) }

        /// Lets go of the answer; of no effect where it has found its use.
        func discard() { owner.revoke(transfer) }
    }

    /// Where the redirects led.
    let url: HTTPURL
    var resource: Resource
    let contentDisposition: String?
    var access: Access
    /// Whether all this was HEAD's word, which some servers break with GET.
    let isFromHead: Bool
    var held: Held?
    /// The time that the last request took until its answer.
    let requestCost: Duration
}

/// Why an attempt to probe failed.
enum ProbeFailure: Error {
    /// It may succeed in a while; `isRefusal` where a host may fail so that is asked for a connection too many.
    case transient(DownloadError, isRefusal: Bool)
    /// It won't.
    case final(DownloadError)
}
