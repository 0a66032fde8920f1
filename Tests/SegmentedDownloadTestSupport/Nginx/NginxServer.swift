import Foundation

/// A real nginx, as this user, on free ports of 127.0.0.1, with HTTP and HTTPS over the same folder.
///
///     let nginx = try NginxServer()
///     let file = try nginx.makeFile("file.bin", length: 100_000_000, seed: 1)
///     // download nginx.url("/file.bin"), or nginx.secureURL("/file.bin") with --cacert nginx.authorityPath
///     let entries = try nginx.accessLog { $0.count >= 8 }
///
/// Tests that need it are marked `.enabled(if: NginxServer.missing == nil, …)`. The server ends with the object, and
/// with the test process, however that ends.
package final class NginxServer: Sendable {
    /// Why there can be no nginx here, as a sentence for the test's output; nil where there can.
    package static let missing: String? = {
        if Executables.installed("nginx") == nil { return "nginx is not installed: apt-get install nginx-core" }
        return Executables.installed("openssl") == nil ? "openssl is not installed: apt-get install openssl" : nil
    }()

    /// The folder that is served.
    package let root: String
    /// The port for HTTP.
    package let port: UInt16
    /// The port for HTTPS.
    package let securePort: UInt16
    /// The test authority's certificate, for `--cacert`.
    package var authorityPath: String { certificates.authorityPath }

    private let address: String
    private let folder: TemporaryFolder
    private let certificates: TestCertificates
    private let process: ChildProcess

    /// Starts nginx, and returns when it answers.
    ///
    /// - Parameters:
    ///   - parent: Where the server's temporary folder with the files goes; see ``TemporaryFolder``.
    ///   - address: An IPv4 address of this machine. The certificate is for 127.0.0.1 alone.
    ///   - workers: Worker processes; one for each processor where nil.
    ///   - secureParameters: What follows `ssl` in the `listen` of HTTPS, such as `http2`.
    ///   - commonName: The only name in the certificate; `nil` for one that is valid.
    ///   - serverDirectives: Text that is added to both `server` blocks, such as a `location`.
    ///   - httpDirectives: Text that is added to the `http` block, such as a zone.
    /// - Throws: A sentence with what nginx wrote, where it does not start.
    package init(
        in parent: String? = nil,
        address: String = "127.0.0.1",
        workers: Int? = nil,
        secureParameters: String = "",
        commonName: String? = nil,
        serverDirectives: String = "",
        httpDirectives: String = ""
    ) throws {
        guard let nginx = Executables.installed("nginx") else { throw TestSupportError(Self.missing ?? "no nginx") }
        self.address = address
        folder = try TemporaryFolder(in: parent)
        root = folder.path("root")
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        certificates = try TestCertificates(in: folder.path, commonName: commonName)
        let settings = NginxConfiguration(
            folder: folder.path,
            root: root,
            address: address,
            workers: workers,
            certificates: certificates,
            secureParameters: secureParameters,
            serverDirectives: serverDirectives,
            httpDirectives: httpDirectives
        )
        (process, port, securePort) = try Self.launch(nginx, settings)
        do {
            // Where nginx has ended, nobody holds the socket that the connection waits at: it is reset.
            _ = try RawClient(port: port, address: address).get(NginxConfiguration.readyPath)
        } catch {
            process.endInput()
            let log = try String(contentsOfFile: folder.path("error.log"), encoding: .utf8)
            throw TestSupportError("nginx does not start: \(error): \(log)")
        }
    }

    deinit {
        stop()
    }

    /// nginx takes over sockets that listen already (the variable is what its binary upgrade uses): no port can be
    /// lost to another process, and a client that comes early waits in the queue. It does not make them non-blocking.
    private static func launch(
        _ nginx: String,
        _ settings: NginxConfiguration
    ) throws -> (ChildProcess, port: UInt16, securePort: UInt16) {
        let listeners = try [Listener(address: settings.address), Listener(address: settings.address)]
        for listener in listeners { try check("fcntl F_SETFL") { fcntl(listener.fd, F_SETFL, O_NONBLOCK) } }
        let path = "\(settings.folder)/nginx.conf"
        let text = settings.text(port: listeners[0].port, securePort: listeners[1].port)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let command = [nginx, "-p", settings.folder, "-e", "\(settings.folder)/error.log", "-c", path]
        let process = try ChildProcess.start(
            "/bin/sh",
            ["-c", watchdog, "sh"] + command,
            environment: ["NGINX": "3;4;"],
            descriptors: listeners.map(\.fd)
        )
        return (process, listeners[0].port, listeners[1].port)
    }

    // Ends nginx when standard input ends, which the kernel sees to if this process dies.
    private static let watchdog = """
        exec 5<&0
        "$@" 5<&- & nginx=$!
        { read -r line <&5; kill -TERM $nginx; } 3<&- 4<&- & watcher=$!
        exec 3<&- 4<&-
        wait $nginx
        status=$?
        kill $watcher
        exit $status
        """

    /// Ends nginx. The files stay until the object goes.
    package func stop() {
        process.endInput()
        _ = try? process.wait(timeout: .seconds(10))
    }

    /// The HTTP URL of a path.
    package func url(_ path: String) -> String { "http://\(address):\(port)\(path)" }

    /// The HTTPS URL of a path, by the name that the certificate is for.
    package func secureURL(_ path: String) -> String { "https://localhost:\(securePort)\(path)" }

    /// Makes a file under the root.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - length: Bytes in all.
    ///   - seed: What its bytes are made from.
    /// - Returns: The content, to compare a download with.
    /// - Throws: A sentence where it can't be written.
    @discardableResult
    package func makeFile(_ name: String, length: Int64, seed: UInt64) throws -> PatternContent {
        let content = PatternContent(seed: seed, length: length)
        try content.write(toFileAt: "\(root)/\(name)")
        return content
    }

    /// The requests that have ended, in the order of their ends.
    ///
    /// nginx writes a line a moment after the client has received the last byte, hence the condition.
    ///
    /// - Parameters:
    ///   - timeout: How long to wait for what is wanted.
    ///   - isComplete: Whether these entries are what the caller waits for.
    /// - Returns: All entries.
    /// - Throws: A sentence where the time is up or the log can't be read.
    package func accessLog(
        timeout: Duration = .seconds(10),
        where isComplete: ([NginxLogEntry]) -> Bool = { _ in true }
    ) throws -> [NginxLogEntry] {
        let deadline = ContinuousClock.now + timeout
        while true {
            let text = try String(contentsOfFile: folder.path("access.log"), encoding: .utf8)
            let entries = text.split(separator: "\n").compactMap(NginxLogEntry.init)
            if isComplete(entries) { return entries }
            if .now > deadline { throw TestSupportError("nginx's log is not as awaited:\n\(text.suffix(2000))") }
            // A file is no thing to wait on; nothing depends on the length of this pause.
            Thread.sleep(forTimeInterval: 0.005)
        }
    }
}
