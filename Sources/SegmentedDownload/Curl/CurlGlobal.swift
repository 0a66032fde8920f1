internal import CSegdlShims

/// libcurl's process-wide state.
package enum CurlGlobal {
    /// Set up once, before the first handle; thread-safe by Swift's lazy statics.
    static let setUp: CURLcode = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    /// For instance `libcurl/7.88.1 OpenSSL/3.0.17`.
    static var version: String {
        guard let data = segdl_version_info() else { return "libcurl" }
        let libcurl = "libcurl/" + (data.pointee.version.map { String(cString: $0) } ?? "unknown")
        return data.pointee.ssl_version.map { libcurl + " " + String(cString: $0) } ?? libcurl
    }

    /// The file of trusted certificates that this libcurl was built with; `nil` where it uses another store.
    static var defaultCertificateFile: String? {
        segdl_version_info()?.pointee.cainfo.map { String(cString: $0) }
    }

    /// Seconds since 1970 of an HTTP date in any of its three forms, or `nil`. Source: `curl_getdate`.
    package static func seconds(ofDate text: String) -> Int64? {
        let seconds = curl_getdate(text, nil)
        return seconds == -1 ? nil : Int64(seconds)
    }
}
