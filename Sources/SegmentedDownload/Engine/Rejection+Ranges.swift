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

    /// Whether the Range field itself may be what is refused: by a server that takes it for an error, or does nothing of
    /// the kind.
    var mayRefuseRanges: Bool {
        switch self {
        case .status(400, _), .status(501, _): true
        default: isAboutRanges
        }
    }
}
