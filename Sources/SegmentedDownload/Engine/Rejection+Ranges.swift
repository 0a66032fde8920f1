internal import SegmentedDownloadCore

extension Rejection {
    /// Whether it is the range that went wrong: the same request without one may be answered well.
    var isAboutRanges: Bool {
        switch self {
        case .wrongWindow, .missingContentRange, .malformedContentRange, .unknownTotal, .contradictoryLength,
            .multipart, .rangeNotSatisfiable, .rangesIgnored(.same), .rangesIgnored(.unknown):
            true
        default: false
        }
    }
}
