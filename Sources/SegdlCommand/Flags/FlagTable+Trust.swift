import SegmentedDownload

extension FlagTable {
    /// Whom TLS trusts, and what it shows.
    static let trustFlags = [
        Flag(
            "insecure",
            "k",
            in: .requests,
            "don't check the server's certificate (unsafe)",
            details: """
                Accept any certificate of the server. Whoever stands on the way can then change the file. A proxy's \
                certificate is verified all the same.
                """
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
                A file of certificates (PEM) to trust instead of the system's, of servers and of https proxies. Without it, the environment variables \
                CURL_CA_BUNDLE and SSL_CERT_FILE count, in this order.
                """
        ) { (value, options) throws(Flag.ValueError) in
            options.session.certificateAuthorityFile = try Value.path(value)
        },
        Flag(
            "cert",
            nil,
            .init(placeholder: "FILE", example: "me.pem"),
            in: .requests,
            "certificate to show to the server (PEM)",
            details: """
                A file with the certificate (PEM) to show to a server that asks for one. Goes to the origin of the URL \
                given and to no other; with several URLs, to the origin of each.
                """
        ) { (value, options) throws(Flag.ValueError) in
            options.certificate = try Value.path(value)
        },
        Flag(
            "key",
            nil,
            .init(placeholder: "FILE", example: "me.key"),
            in: .requests,
            "its private key (PEM)",
            default: "in the file of --cert",
            details: "A file with the private key (PEM) of the certificate. It must not be encrypted."
        ) { (value, options) throws(Flag.ValueError) in
            options.certificateKey = try Value.path(value)
        },
        Flag(
            "https-only",
            in: .requests,
            "refuse whatever is not encrypted",
            details: """
                Refuse http:// URLs (status 2) and redirects from https to http (status 7). Without it, such a redirect \
                is followed with a warning.
                """
        ) { _, options in
            options.request.requiresHTTPS = true
        },
    ]
}
