import SegmentedDownload

extension FlagTable {
    /// What the server is told, and whether it is believed.
    static let requestFlags = [
        Flag(
            "header",
            "H",
            .init(placeholder: "LINE", example: "Accept: */*", isSecret: true),
            in: .requests,
            "header to send, or @FILE with one a line",
            details: """
                A header line ('Name: value') to send; may be given several times. '@FILE' reads lines from a file, \
                '@-' from standard input, which keeps secrets out of the list of processes. Goes to the origin of \
                the URL given and to no other; with several URLs, to the origin of each ('header=' in a list is for one).
                """
        ) { (value, options) throws(Flag.ValueError) in
            options.headers.append(try Value.headerSource(value))
        },
        Flag(
            "user-agent",
            "A",
            .init(placeholder: "TEXT", example: "agent/1.0"),
            in: .requests,
            "name to give to the server",
            default: "segdl/VERSION",
            details: "The value of the User-Agent header."
        ) { (value, options) throws(Flag.ValueError) in
            options.session.userAgent = try Value.fieldValue(value)
        },
        Flag(
            "referer",
            nil,
            .init(placeholder: "URL", example: "https://example.org/", isSecret: true),
            in: .requests,
            "page that the link was on",
            details: "The value of the Referer header."
        ) { (value, options) throws(Flag.ValueError) in
            options.request.referer = try Value.fieldValue(value)
        },
        Flag(
            "user",
            "u",
            .init(placeholder: "USER[:PASS]", example: "someone:something", isSecret: true),
            in: .requests,
            "sign in; asks for a PASS that is missing",
            details: """
                The user name and password to sign in with. Where the password is missing, segdl asks for it on the \
                terminal; typed here, other users of the machine may see it in the list of processes. Goes to the \
                origin of the URL given and to no other; with several URLs, to the origin of each ('--netrc' keeps hosts apart).
                """
        ) { (value, options) throws(Flag.ValueError) in
            options.user = try Value.user(value)
        },
        Flag(
            "netrc",
            "n",
            in: .requests,
            "sign in with what ~/.netrc says of the host",
            details: """
                Take user name and password from the file that the environment variable NETRC names, else from \
                ~/.netrc. It is read once, so that it may be a pipe. '--user' and a password in the URL count first. \
                An entry goes to the host that it names: to the URL given at any port, and to another host that a \
                redirect leads to where the file names that one, too. The entry 'default' is for the URL given alone.
                """
        ) { _, options in
            options.readsNetrc = true
        },
        Flag(
            "cookie",
            "b",
            .init(placeholder: "DATA|FILE", example: "name=value", isSecret: true),
            in: .requests,
            "cookies to send, or a file of cookies",
            details: """
                Cookies to send; may be given several times. With a '=' it is the cookies themselves ('NAME=VALUE; \
                NAME=VALUE'), which go to the origin of the URL given and to no other; with several URLs, to the origin of each. Else it names a file, in \
                Netscape's format or with 'Set-Cookie' header lines, whose cookies go where their domain and path say. \
                The file is read once and never written; where it is not there, a note says so. Cookies that servers set on the way are always kept until \
                the end of the run, and sent by the same rules.
                """
        ) { (value, options) throws(Flag.ValueError) in
            switch try Value.cookieSource(value) {
            case .file(let path): options.session.cookieFiles.append(path)
            case .data(let data): options.request.cookies = options.request.cookies.map { "\($0); \(data)" } ?? data
            }
        },
    ]
}
