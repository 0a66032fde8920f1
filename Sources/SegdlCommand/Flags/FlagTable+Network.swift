import SegmentedDownload

extension FlagTable {
    /// The way to the server.
    static let networkFlags = [
        Flag(
            "proxy",
            "x",
            .init(placeholder: "URL", example: "http://proxy.example:3128", isSecret: true),
            in: .network,
            "HTTP or SOCKS5 proxy",
            default: "the environment's",
            details: """
                The proxy for all URLs: '[SCHEME://][USER:PASSWORD@]HOST[:PORT]', where SCHEME is http, https, socks5 or \
                socks5h (the proxy resolves names). Without it, the environment counts as with curl: http_proxy (lower \
                case only) for http, https_proxy or HTTPS_PROXY for https, else all_proxy or ALL_PROXY; these also keep \
                a password out of the list of processes. An empty URL switches the environment's off.
                """
        ) { (value, options) throws(Flag.ValueError) in
            if let habit = Habits.connections("x", value) { throw .sentence(habit) }
            options.session.proxy = value
        },
        Flag(
            "noproxy",
            nil,
            .init(placeholder: "LIST", example: "localhost,10.0.0.0/8"),
            in: .network,
            "hosts to reach without a proxy",
            default: "the environment's",
            details: """
                Hosts that are reached without a proxy, divided by commas. A name means itself and all names below it, \
                '*' every host; addresses may have a length, as in 10.0.0.0/8. Without it, no_proxy or NO_PROXY counts.
                """
        ) { (value, options) throws(Flag.ValueError) in
            options.session.noProxy = value
        },
        Flag(
            "limit-rate",
            nil,
            .init(placeholder: "RATE", example: "2.5M"),
            in: .network,
            "bytes a second over all connections",
            default: "none",
            details: """
                The most bytes a second that all connections bring together: a number, or one with a suffix as SIZE has. 0 \
                is no limit.
                """
        ) { (value, options) throws(Flag.ValueError) in
            let rate = try Value.size(value, in: 0...Int64.max)
            options.session.rateLimit = rate == 0 ? nil : rate
        },
        Flag(
            "ipv4",
            "4",
            in: .network,
            "use IPv4 only",
            details: "Use IPv4 addresses only. Of '-4' and '-6' the last one given counts."
        ) { _, options in
            options.session.addressFamily = .ipv4
        },
        Flag(
            "ipv6",
            "6",
            in: .network,
            "use IPv6 only",
            details: "Use IPv6 addresses only. Without either, both are tried, and the one that answers first is used."
        ) { _, options in
            options.session.addressFamily = .ipv6
        },
        Flag(
            "interface",
            nil,
            .init(placeholder: "NAME", example: "eth0"),
            in: .network,
            "interface or address to connect from",
            details: "The network interface, or the local address, that connections come from."
        ) { (value, options) throws(Flag.ValueError) in
            options.session.interface = try Value.path(value)
        },
        Flag(
            "resolve",
            nil,
            .init(placeholder: "HOST:PORT:ADDR", example: "example.org:443:192.0.2.1"),
            in: .network,
            "address to use for a host and port",
            details: """
                The address to use for a host and port, instead of asking the resolver; may be given several times. \
                Several addresses are divided by commas, IPv6 addresses may stand in brackets.
                """
        ) { (value, options) throws(Flag.ValueError) in
            options.session.resolve.append(value)
        },
        Flag(
            "http",
            nil,
            .init(placeholder: "VERSION", example: "2"),
            in: .network,
            "version of HTTP over TLS, 1.1 or 2",
            default: "1.1",
            details: """
                The version of HTTP over TLS, 1.1 or 2. With 2, servers that lack it are spoken to in 1.1, and every \
                connection stays a TCP connection of its own. Without TLS it is always 1.1.
                """
        ) { (value, options) throws(Flag.ValueError) in
            options.session.httpVersion = try Value.choice(value, of: [("1.1", .http1), ("2", .http2)])
        },
    ]
}
