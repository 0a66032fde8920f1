internal import SegmentedDownloadCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// How a session reaches servers, and what it may tell them: proxies, the netrc file, cookies. Files are read once,
/// when the session is made, since they may be pipes.
struct SessionAccess: Sendable {
    /// More than any list of passwords or cookies has.
    private static let fileByteLimit = 16 << 20

    let proxies: ProxyRules
    let netrc: Netrc?
    let cookies: CookieJar
    /// Cookies of the files that name no domain: for the origin of the URL given alone.
    let unboundCookies: [CookieJar.Unbound]

    /// - Throws: `usage` where an option can't be meant, `localFile` where a file can't be read.
    init(_ options: SessionOptions) throws(DownloadError) {
        proxies = ProxyRules(proxy: options.proxy, noProxy: options.noProxy) { name in
            getenv(name).map { String(cString: $0) }
        }
        if options.proxy != nil { try proxies.checkOption() }
        netrc =
            if let path = options.netrcFile {
                Netrc(try TextFile.text(at: path, "The netrc file", byteLimit: Self.fileByteLimit))
            } else {
                nil
            }
        var contents = CookieJar.FileContents()
        for path in options.cookieFiles {
            let read = try Self.cookies(at: path)
            contents.lines += read.lines
            contents.unbound += read.unbound
        }
        cookies = CookieJar(contents.lines)
        unboundCookies = contents.unbound
    }

    private static func cookies(at path: String) throws(DownloadError) -> CookieJar.FileContents {
        let text = try TextFile.text(at: path, "The file of cookies", byteLimit: fileByteLimit)
        do throws(CurlError) {
            return try CookieJar.read(text)
        } catch {
            throw DownloadError(.other, "The cookies in '\(path)' could not be read.", underlying: error.text)
        }
    }
}
