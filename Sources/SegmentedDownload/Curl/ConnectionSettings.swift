internal import SegmentedDownloadCore

/// What every connection of a session is set up with.
struct ConnectionSettings: Sendable {
    let jobs: Int
    let userAgent: String
    let connectTimeoutMilliseconds: Int
    let stallTimeout: Duration
    let verifiesCertificates: Bool
    let certificateAuthorityFile: String?
    let httpVersion: SessionOptions.HTTPVersion
    let addressFamily: SessionOptions.AddressFamily
    let interface: String?
    let resolve: [String]
    /// The smallest receive buffer that libcurl has (`READBUFFER_MIN`), in bytes.
    static let leastReceiveBufferSize = 1024

    /// The size of libcurl's receive buffer, in bytes; under a limit of the rate it may be less.
    let receiveBufferSize: Int
    /// The size of the buffer that gathers libcurl's 16 KiB pieces into one `pwrite`, in bytes.
    let gatherBufferSize: Int

    init(_ options: SessionOptions) {
        jobs = options.jobs
        userAgent = options.userAgent
        connectTimeoutMilliseconds = Int(min(max(options.connectTimeout.inSeconds, 0.001), 1e6) * 1000)
        stallTimeout = options.stallTimeout
        verifiesCertificates = options.verifiesCertificates
        certificateAuthorityFile = options.certificateAuthorityFile
        httpVersion = options.httpVersion
        addressFamily = options.addressFamily
        interface = options.interface
        resolve = options.resolve
        // 4 MiB in all keeps the memory flat in the number of connections; more a connection was not faster.
        let share = 4 * MiB / Int64(max(options.jobs, 1))
        // Powers of two: full writes end on multiples of the buffer's size, which must be segments' ends too.
        let sizes = [512 * KiB, 256 * KiB, 128 * KiB, 64 * KiB]
        let size = sizes.first { $0 <= share } ?? 64 * KiB
        receiveBufferSize = Int(size)
        gatherBufferSize = Int(min(size, 256 * KiB))
    }
}
