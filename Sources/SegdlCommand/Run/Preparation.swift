package import SegmentedDownload

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Completes the options with what lies outside of the command line: header files, the environment, a password.
package enum Preparation {
    /// Reads what the options name.
    ///
    /// - Parameters:
    ///   - options: The options; their session and request are completed.
    ///   - environment: Looks a variable up.
    ///   - password: Asks for the password of a user; `nil` where there is no terminal to ask on.
    /// - Returns: Sentences that the user should see.
    /// - Throws: `localFile` where a file can't be read, `usage` where a header is none or no terminal is there.
    package static func complete(
        _ options: inout Options,
        environment: (String) -> String?,
        password: (_ user: String) -> String?
    ) throws(DownloadError) -> [String] {
        try chooseAuthorities(&options, environment)
        try chooseCertificate(&options)
        if options.readsNetrc { options.session.netrcFile = try netrcPath(environment) }
        for source in options.headers {
            options.request.headers += try lines(of: source)
        }
        try chooseCredentials(&options, password)
        return passOverMissingCookies(&options)
    }

    private static func chooseCredentials(
        _ options: inout Options,
        _ password: (_ user: String) -> String?
    ) throws(DownloadError) {
        guard let user = options.user else { return }
        guard let secret = user.password ?? password(user.name) else {
            throw DownloadError(
                .usage,
                "No password was typed for '\(Terminal.sanitised(user.name))', or there is no terminal to ask on: "
                    + "use '--netrc', or an 'Authorization' header with '-H @FILE'."
            )
        }
        options.request.credentials = .init(user: user.name, password: secret)
    }

    private static func chooseAuthorities(
        _ options: inout Options,
        _ environment: (String) -> String?
    ) throws(DownloadError) {
        let variables = ["CURL_CA_BUNDLE", "SSL_CERT_FILE"]
        let candidates =
            [("The certificates in", options.session.certificateAuthorityFile)]
            + variables.map { ("The certificates that the environment variable \($0) names in", environment($0)) }
        guard
            let (what, file) = candidates.lazy.compactMap({ what, file in file.map { (what, $0) } }).first(where: {
                !$1.isEmpty
            })
        else { return }
        options.session.certificateAuthorityFile = file
        guard options.session.verifiesCertificates, access(file, R_OK) != 0 else { return }
        throw unreadable(file, what, errno)
    }

    private static func chooseCertificate(_ options: inout Options) throws(DownloadError) {
        guard let certificate = options.certificate else {
            guard options.certificateKey == nil else {
                throw DownloadError(.usage, "'--key' needs the certificate that it belongs to: give it with '--cert'.")
            }
            return
        }
        for file in [certificate, options.certificateKey].compactMap({ $0 }) where access(file, R_OK) != 0 {
            throw unreadable(file, "The certificate or key in", errno)
        }
        options.request.clientCertificate = .init(file: certificate, keyFile: options.certificateKey)
    }

    /// - Returns: `nil` where nobody has named a file and there is none at home: no error, as with curl.
    private static func netrcPath(_ environment: (String) -> String?) throws(DownloadError) -> String? {
        if let path = environment("NETRC"), !path.isEmpty { return path }
        guard let home = environment("HOME"), !home.isEmpty else {
            throw DownloadError(.usage, "'--netrc' finds no file: set the environment variable NETRC, or HOME.")
        }
        let path = home + "/.netrc"
        return access(path, F_OK) == 0 ? path : nil
    }

    /// A file of cookies that is not there is no error, as with curl: the first run of a script has none.
    ///
    /// - Returns: A note for each.
    private static func passOverMissingCookies(_ options: inout Options) -> [String] {
        let missing = options.session.cookieFiles.filter { access($0, F_OK) != 0 && [ENOENT, ENOTDIR].contains(errno) }
        options.session.cookieFiles.removeAll(where: missing.contains)
        return missing.map { "The file of cookies '\(Terminal.sanitised($0))' is not there: going on without it." }
    }

    private static func lines(of source: Options.HeaderSource) throws(DownloadError) -> [String] {
        switch source {
        case .line(let line): [line]
        case .standardInput: try checkedLines(of: text(of: STDIN_FILENO, named: "standard input"))
        case .file(let path): try checkedLines(of: text(at: path))
        }
    }

    private static func checkedLines(of text: String) throws(DownloadError) -> [String] {
        do {
            return try HeaderLine.lines(of: text)
        } catch {
            switch error {
            case .reason(let reason), .sentence(let reason):
                throw DownloadError(.usage, "A line read for '--header' is invalid: \(reason).")
            }
        }
    }

    private static func text(at path: String) throws(DownloadError) -> String {
        let fd = open(path, O_RDONLY | O_CLOEXEC)
        let code = errno
        guard fd >= 0 else { throw unreadable(path, "The headers in", code) }
        defer { close(fd) }
        return try text(of: fd, named: path)
    }

    /// Everything up to the end, at most 1 MiB: no server takes more headers, and a device never ends.
    private static func text(of fd: Int32, named name: String) throws(DownloadError) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = read(fd, &buffer, buffer.count)
            let code = errno
            if count < 0, code == EINTR { continue }
            guard count >= 0 else { throw unreadable(name, "The headers in", code) }
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer[..<count]
            guard bytes.count <= 1 << 20 else {
                throw DownloadError(.usage, "The headers read for '--header' are longer than 1 MiB.")
            }
        }
    }

    private static func unreadable(_ path: String, _ what: String, _ code: Int32) -> DownloadError {
        let cause = String(cString: strerror(code))
        return DownloadError(
            .localFile,
            "\(what) '\(Terminal.sanitised(path))' can't be read: check the name and its permissions.",
            underlying: cause
        )
    }
}
