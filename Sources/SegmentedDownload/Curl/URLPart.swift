internal import CSegdlShims

/// A part of a URL that libcurl's parser has read; `nil` where it has none. Source: curl_url_get(3).
///
/// - Parameters:
///   - handle: `CURLU *`.
///   - flags: `CURLU_…`, for instance to decode it.
func urlPart(_ part: CURLUPart, of handle: OpaquePointer, flags: Int32 = 0) -> String? {
    var value: UnsafeMutablePointer<CChar>?
    guard curl_url_get(handle, part, &value, UInt32(flags)) == CURLUE_OK, let value else { return nil }
    defer { curl_free(value) }
    return String(cString: value)
}
