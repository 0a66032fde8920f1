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
                the URL given and to no other.
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
                origin of the URL given and to no other.
                """
        ) { (value, options) throws(Flag.ValueError) in
            options.user = try Value.user(value)
        },
        Flag(
            "insecure",
            "k",
            in: .requests,
            "accept any certificate: anyone may answer",
            details: "Accept any certificate of the server. Whoever stands on the way can then change the file."
        ) { _, options in
            options.session.verifiesCertificates = false
        },
        Flag(
            "cacert",
            nil,
            .init(placeholder: "FILE", example: "authorities.pem"),
            in: .requests,
            "certificates to trust (PEM)",
            default: "the system's",
            details: """
                A file of certificates (PEM) to trust instead of the system's. Without it, the environment variables \
                CURL_CA_BUNDLE and SSL_CERT_FILE count, in this order.
                """
        ) { (value, options) throws(Flag.ValueError) in
            options.session.certificateAuthorityFile = try Value.path(value)
        },
    ]
}
