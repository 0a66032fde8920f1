/// What a status code means for a download.
///
/// | kind | statuses |
/// | --- | --- |
/// | success | 200 to 299 |
/// | redirect | 301, 302, 303, 307, 308 |
/// | authentication | 401, 407 |
/// | transient | 408, 425, 429, 500 to 599 but 501 and 505 |
/// | final | all others |
package enum StatusKind: Equatable, Sendable {
    /// The request was understood and done (RFC 9110 §15.3). Whether the answer is usable is ``ResponseCheck``'s say.
    case success
    /// The resource is elsewhere.
    case redirect
    /// The server, or a proxy, wants other credentials.
    case authentication
    /// It may be different next time.
    case transient
    /// The same request will get the same answer.
    case final

    /// Sorts a status.
    ///
    /// - Parameter status: The status code, any number.
    package init(status: Int) {
        self =
            switch status {
            case 200..<300: .success
            case 301, 302, 303, 307, 308: .redirect
            case 401, 407: .authentication
            // "Not implemented" and "version not supported" stay so.
            case 501, 505: .final
            case 408, 425, 429, 500..<600: .transient
            default: .final
            }
    }
}
