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
    }

    /// The size of a connection's receive buffer in libcurl, in bytes; under a limit of the rate it may be less. The larger it is, the
    /// less processor time plain HTTP takes: a tenth less with 1 MiB than with 256 KiB.
    func receiveBufferSize(of connection: Int) -> Int {
        Int(min(max(3 * MiB / shareCount(of: connection), 64 * KiB), 512 * KiB))
    }

    /// The size of the buffer that gathers libcurl's 16 KiB pieces of a connection into one `pwrite`, in bytes: 128 KiB stay in the
    /// processor's cache, and the kernel finds pages for them more easily than for 256 KiB. A power of two: full writes end on
    /// multiples of it, which must be segments' ends too.
    func gatherBufferSize(of connection: Int) -> Int {
        Int(connection < 8 ? 128 * KiB : 64 * KiB)
    }

    /// Among how many connections the one with this number shares memory evenly. The first 8 do so as if there were no others: with
    /// `-j auto` there may not be.
    private func shareCount(of connection: Int) -> Int64 {
        Int64(max(min(jobs, max(8, connection + 1)), 1))
    }
}
