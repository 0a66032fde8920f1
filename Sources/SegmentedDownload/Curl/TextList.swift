internal import CSegdlShims

/// A `curl_slist`, for instance of header lines. libcurl does not copy it: it lives as long as a transfer that uses it.
struct TextList: ~Copyable {
    private(set) var pointer: UnsafeMutablePointer<curl_slist>?

    /// A list without lines.
    init() {}

    init(_ lines: [String]) throws(CurlError) {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            guard let longer = curl_slist_append(list, line) else {
                curl_slist_free_all(list)
                throw CurlError(CURLE_OUT_OF_MEMORY)
            }
            list = longer
        }
        pointer = list
    }

    /// Takes over a list that libcurl has made.
    init(owning pointer: UnsafeMutablePointer<curl_slist>?) {
        self.pointer = pointer
    }

    /// Copies of all lines.
    var lines: [String] {
        var lines: [String] = []
        var next = pointer
        while let node = next {
            lines.append(String(cString: node.pointee.data))
            next = node.pointee.next
        }
        return lines
    }

    deinit { curl_slist_free_all(pointer) }
}
