package import SegmentedDownload

extension DownloadError.Kind {
    /// The exit status that a failure of this kind means: wget's table, extended.
    package var exitStatus: Int32 {
        switch self {
        case .other, .cancelled: 1
        case .usage: 2
        case .localFile: 3
        case .network: 4
        case .tls: 5
        case .authentication: 6
        case .protocol: 7
        case .server: 8
        case .checksum: 9
        }
    }
}

extension Failure {
    /// A failure with the exit status of its kind.
    package init(_ error: DownloadError) {
        self.init(error: error, status: error.kind.exitStatus)
    }
}
