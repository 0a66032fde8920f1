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
        // With 4 MiB for receiving, 8 connections took 2 MiB more, 4 % less CPU over plain HTTP, and as much time.
        receiveBufferSize = Self.size(ofOneIn: options.jobs, sharing: 2 * MiB, most: 512 * KiB)
        gatherBufferSize = Self.size(ofOneIn: options.jobs, sharing: 4 * MiB, most: 256 * KiB)
    }

    /// The even share of a number of buffers, so that memory is flat in the number of connections; at least 64 KiB. A power
    /// of two: full writes end on multiples of the buffer's size, which must be segments' ends too.
    private static func size(ofOneIn count: Int, sharing total: Int64, most: Int64) -> Int {
        var size = most
        while size > 64 * KiB, size > total / Int64(max(count, 1)) { size /= 2 }
        return Int(size)
    }
}
