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

    /// The size of a connection's receive buffer in libcurl, in bytes; under a limit of the rate it may be less.
    func receiveBufferSize(of connection: Int) -> Int { bufferSize(of: connection, most: 512 * KiB) }

    /// The size of the buffer that gathers libcurl's 16 KiB pieces of a connection into one `pwrite`, in bytes.
    func gatherBufferSize(of connection: Int) -> Int { bufferSize(of: connection, most: 256 * KiB) }

    /// A share of 2 MiB (with 4 MiB, 8 connections took 4 % less CPU, and as much time), the first 8 as if there were no others:
    /// with `-j auto` there may not be. At least 64 KiB. A power of two: full writes end on multiples of the buffer's size, which must
    /// be segments' ends too.
    private func bufferSize(of connection: Int, most: Int64) -> Int {
        let count = Int64(max(min(jobs, max(8, connection + 1)), 1))
        var size = most
        while size > 64 * KiB, size > 2 * MiB / count { size /= 2 }
        return Int(size)
    }
}
