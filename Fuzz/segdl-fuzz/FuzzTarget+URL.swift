import SegmentedDownload

extension FuzzTarget {
    /// Two lines: the URL that was asked for, and the Location that its answer named.
    static let url = FuzzTarget(name: "url") { input in
        let lines = input.lines(2).map { String(decoding: $0, as: UTF8.self) }
        guard let base = try? HTTPURL(lines[0]) else { return }
        check(base)
        if let next = try? base.resolving(lines[1]) { check(next) }
    }

    private static func check(_ url: HTTPURL) {
        require(url.scheme == "http" || url.scheme == "https", "the scheme \(url.scheme)")
        require(url.text.utf8.starts(with: "\(url.scheme)://".utf8), "another scheme than the text's")
        require(!url.text.utf8.contains { $0 <= 0x20 || $0 == 0x7F }, "a URL that breaks the request line: \(url.text)")
        require(!url.text.utf8.contains(UInt8(ascii: "#")), "a fragment that would be sent: \(url.text)")
        require(url.path.utf8.first == UInt8(ascii: "/"), "a path without a slash: \(url.path)")
        require(!url.redacted.utf8.contains(UInt8(ascii: "?")), "a query in a message")
        let authority = url.text.utf8.dropFirst(url.scheme.utf8.count + 3).prefix { !"/?".utf8.contains($0) }
        require(!authority.contains(UInt8(ascii: "@")), "a user in the text: \(url.text)")
        // What is shown, checked and sent is one address.
        guard let again = try? HTTPURL(url.text) else { fatalError("a text that is no URL: \(url.text)") }
        require(again.text == url.text && again.origin == url.origin && again.path == url.path, "another URL again")
    }
}
