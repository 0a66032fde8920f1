import Foundation
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

/// Each secret that a run is given, or that a server tells it, is planted once with a text of its own; then everything
/// that the run leaves or says is searched for all of them. ``MessageTests`` does so for the ways in which runs fail.
@Suite struct PlantedSecretTests {
    private static let content = PatternContent(seed: 91, length: 2 * MiB)
    private static let mark = "planted"

    /// A run's folder and arguments, with a secret in each place that takes one.
    private struct Run {
        let segdl: SegdlBinary
        let secrets: TemporaryFolder
        let arguments: [String]
        let environment: [String: String]
        /// Those that must not show in the process's arguments either: nobody typed them there.
        let hidden: [String]

        init(_ server: FaultServer, _ proxy: ProxyServer, extra: [String]) throws {
            segdl = try SegdlBinary()
            secrets = try TemporaryFolder()
            let header = try secrets.write("Private-Token: planted-header-file\n", to: "header")
            let netrc = try secrets.write("machine 127.0.0.1 login me password planted-netrc\n", to: "netrc")
            let cookie = "127.0.0.1\tFALSE\t/\tFALSE\t0\tjar\tplanted-cookie-file\n"
            let cookies = try secrets.write(cookie, to: "cookies")
            environment = ["NETRC": netrc, "http_proxy": "http://p:planted-proxy@\(proxy.authority)"]
            hidden = ["planted-header-file", "planted-netrc", "planted-cookie-file", "planted-proxy"]
            let url = server.url("/file?sig=planted-query#planted-fragment")
                .replacing("http://", with: "http://me:planted-userinfo@")
            arguments =
                [
                    "-s", "64K", "-H", "@\(header)", "-H", "X-Key: planted-header", "-b", "a=planted-cookie",
                    "-b", cookies, "-n", "--referer", "http://r/?planted-referer",
                ] + extra + [url]
        }

        func start() throws -> ChildProcess {
            try ChildProcess.start(
                try Executables.product("segdl"),
                ["--stall-timeout", "600"] + arguments,
                environment: environment.mapValues { $0 },
                directory: segdl.folder.path
            )
        }
    }

    /// Ranges stall on their way; the server's own secrets stand where servers have them.
    private static let route = Route(content) {
        $0.fields = ["Set-Cookie": "session=planted-set-cookie", "X-Api-Key": "planted-field"]
        $0.contentDisposition = "attachment; filename=\"file\"; token=planted-disposition"
    }.on(.ranged) { $0.stallAfter = 200_000 }

    static let styles: [[String]] = [
        ["-v"], ["-v", "--progress", "json"], ["-u", "me:planted-user", "-v"], ["--no-sync", "-v"],
    ]

    @Test(
        "No secret is in journal, part file, standard error, --verbose or JSON, when stopped and when done",
        arguments: styles
    )
    func searched(style: [String]) throws {
        let proxy = try ProxyServer()
        defer { proxy.stop() }
        // The original address is signed, and so is the one that it leads to.
        let routes = ["/file": Route.redirect(to: "/real?token=planted-location"), "/real": Self.route]
        try FaultServer.run(routes) { server in
            let run = try Run(server, proxy, extra: style)
            let child = try run.start()
            try run.segdl.waitForJournal(of: "file", finishedByteCount: 8 * 64 * KiB)
            child.kill(SIGTERM)
            let stopped = try child.wait()
            #expect(stopped.end == .signal(SIGTERM), "\(stopped.standardError)")
            try server.release()
            expectClean(stopped, run)
            let names = try run.segdl.folder.names()
            #expect(names.contains("file.segdl.journal") && names.contains("file.segdl.part"), "\(names)")
            // What was to be hidden did go out, or nothing is shown by its absence.
            let sent = server.requests.map { "\($0.target) \($0.fields.all)" }.joined()
            for secret in ["planted-header-file", "planted-header", "planted-cookie-file", "planted-location"] {
                #expect(sent.contains(secret), "\(secret) was not sent")
            }
            server.setRoute("/real", Route(Self.content))
            let done = try run.segdl.run(run.arguments, environment: run.environment)
            #expect(done.end == .exit(0), "\(done.standardError)")
            expectClean(done, run)
            #expect(try Self.content.matches(fileAt: run.segdl.folder.path("file")))
        }
    }

    @Test("What was given in files and in the environment is not in the process's arguments")
    func arguments() throws {
        let proxy = try ProxyServer()
        defer { proxy.stop() }
        try FaultServer.run(["/file": Self.route]) { server in
            let run = try Run(server, proxy, extra: [])
            let child = try run.start()
            try server.waitUntil { $0.stalledCount > 0 }
            #if os(Linux)
                let arguments = try String(contentsOfFile: "/proc/\(child.id)/cmdline", encoding: .utf8)
                #expect(arguments.contains("planted-header"))
                for secret in run.hidden { #expect(!arguments.contains(secret)) }
            #endif
            child.kill(SIGKILL)
            _ = try child.wait()
        }
    }

    private func expectClean(_ result: ChildProcess.Result, _ run: Run) {
        for text in [result.standardOutput, result.standardError] {
            #expect(!text.contains(Self.mark), "\(text)")
        }
        let folder = run.segdl.folder
        for name in (try? folder.names()) ?? [] {
            #expect(!name.contains(Self.mark))
            guard let bytes = FileManager.default.contents(atPath: folder.path(name)) else { continue }
            #expect(bytes.range(of: Data(Self.mark.utf8)) == nil, "a secret is in \(name)")
            // Nor in a form that anybody can read back.
            for coded in ["me:planted-user", "me:planted-netrc", "me:planted-userinfo", "p:planted-proxy"] {
                #expect(bytes.range(of: Data(coded.utf8).base64EncodedData()) == nil, "\(coded) is in \(name)")
            }
        }
    }
}
