internal import SegmentedDownloadCore

/// What every connection of a session is set up with.
struct ConnectionSettings: Sendable {
    let jobs: Int
    let userAgent: String
    let connectTimeoutMilliseconds: Int
    let stallTimeout: Duration
    /// Whether it has to be known what arrives for the connections.
    let countsArrivals: Bool
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
        countsArrivals = options.tunesConnections
        verifiesCertificates = options.verifiesCertificates
        certificateAuthorityFile = options.certificateAuthorityFile
        httpVersion = options.httpVersion
        addressFamily = options.addressFamily
        interface = options.interface
        resolve = options.resolve
    }

    /// The size of a connection's receive buffer in libcurl, in bytes; under a limit of the rate it may be less. The larger it is, the
    /// less processor time plain HTTP takes: with 256 KiB 20 % less than with 64 KiB, with 512 KiB 7 % less again. But all of it is touched.
    func receiveBufferSize(of connection: Int) -> Int {
        Int(connection < Self.wellServedCount ? 256 * KiB : 64 * KiB)
    }

    /// The size of the buffer that gathers libcurl's 16 KiB pieces of a connection into one `pwrite`, in bytes. A power of two: full
    /// writes end on multiples of it, which must be segments' ends too.
    func gatherBufferSize(of connection: Int) -> Int {
        Int(connection < Self.wellServedCount ? 128 * KiB : 64 * KiB)
    }

    /// The receive buffer of a connection in the kernel, where nothing limits the rate. With room for what a fast server sends at
    /// once, fewer of its bytes have to be asked for: 256 MiB over loopback took 26 % less processor time than with the 128 KiB
    /// that Linux begins with, and 14 % less time. With 16 MiB it is 40 and 25 %, but what is in it is lost with the process.
    func socketBuffer(of connection: Int) -> Transfer.SocketBuffer {
        connection < Self.wellServedCount ? .roomy(Int32(4 * MiB)) : .adapting
    }

    /// So many connections have large buffers, however many there are: with `-j auto` there may be no others.
    private static let wellServedCount = 8
}
