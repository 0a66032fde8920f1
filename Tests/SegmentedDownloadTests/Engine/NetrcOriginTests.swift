import Foundation
@testable import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

@Suite struct NetrcOriginTests {
    private let content = PatternContent(seed: 6, length: 1 * MiB)

    private static func options(netrc: String, in folder: TemporaryFolder) throws -> SessionOptions {
        var options = DownloadHarness.options()
        options.netrcFile = try folder.write(netrc, to: "netrc")
        return options
    }

    @Test("An account from a pipe signs in every request of the run, through redirects within the origin")
    func pipe() throws {
        let harness = try DownloadHarness()
        let files = try TemporaryFolder()
        let pipe = files.path("netrc")
        #expect(mkfifo(pipe, 0o600) == 0)
        let text = "machine 127.0.0.1 login me password secret\n"
        Thread { try? Data(text.utf8).write(to: URL(fileURLWithPath: pipe)) }.start()
        var options = DownloadHarness.options()
        options.netrcFile = pipe
        let routes = [
            "/start": Route.redirect(to: "/file"), "/file": Route(content) { $0.credentials = "me:secret" },
        ]
        try FaultServer.run(routes) { server in
            let report = try harness.run(server.url("/start"), options: options).get()
            #expect(report.length == content.length)
            #expect(server.requests.allSatisfy { $0.fields["Authorization"] != nil })
        }
    }

    @Test("An account reaches no other host, and the entry of that host and no default is used there")
    func otherHost() throws {
        let harness = try DownloadHarness()
        let files = try TemporaryFolder()
        let netrc = "machine 127.0.0.1 login a password planted-a\ndefault login d password planted-d\n"
        try FaultServer.run(["/file": Route(content)]) { other in
            let target = other.url("/file").replacing("127.0.0.1", with: "localhost")
            try FaultServer.run(["/start": .redirect(to: target)]) { server in
                let plain = try Self.options(netrc: netrc, in: files)
                let report = try harness.run(server.url("/start"), options: plain).get()
                #expect(report.length == content.length)
                #expect(server.requests.allSatisfy { $0.fields["Authorization"] == Self.basic("a:planted-a") })
                #expect(other.requests.allSatisfy { $0.fields["Authorization"] == nil })
                let count = other.requests.count
                let named = try Self.options(netrc: netrc + "machine localhost login b password own\n", in: files)
                _ = try harness.run(server.url("/start"), options: named) { $0.existing = .overwrite }.get()
                let later = other.requests.dropFirst(count)
                #expect(later.count > 4)
                #expect(later.allSatisfy { $0.fields["Authorization"] == Self.basic("b:own") })
            }
        }
    }

    @Test("An account does not follow a redirect to another port of its host")
    func otherPort() throws {
        let harness = try DownloadHarness()
        let files = try TemporaryFolder()
        let options = try Self.options(netrc: "machine 127.0.0.1 login a password planted\n", in: files)
        try FaultServer.run(["/file": Route(content)]) { other in
            try FaultServer.run(["/start": .redirect(to: other.url("/file"))]) { server in
                let report = try harness.run(server.url("/start"), options: options).get()
                #expect(report.length == content.length)
                #expect(server.requests[0].fields["Authorization"] != nil)
                #expect(other.requests.allSatisfy { $0.fields["Authorization"] == nil })
            }
        }
    }

    private static func basic(_ text: String) -> String { "Basic " + Data(text.utf8).base64EncodedString() }

    private func user(
        _ target: String,
        from url: String,
        _ netrc: String = "machine a.example login A password 1\nmachine b.example login B password 2\n"
            + "default login D password 3\n",
        credentials: DownloadRequest.Credentials? = nil
    ) throws -> String? {
        let files = try TemporaryFolder()
        var request = DownloadRequest(url: url)
        request.credentials = credentials
        let access = try SessionAccess(Self.options(netrc: netrc, in: files))
        let scope = OriginScope(url: try HTTPURL(url), request: request, access: access)
        return scope.request(.get, try HTTPURL(target)).credentials?.user
    }

    @Test("Which entry counts where")
    func rules() throws {
        let own = "https://a.example/x"
        #expect(try user("https://a.example/y", from: own) == "A")
        #expect(try user("https://c.example/", from: "https://c.example/") == "D")
        #expect(try user("https://c.example/", from: own) == nil)
        #expect(try user("https://b.example/", from: own) == "B")
        #expect(try user("http://b.example/", from: own) == nil)
        #expect(try user("http://a.example/", from: own) == nil)
        #expect(try user("https://a.example/", from: "http://a.example/") == "A")
        #expect(try user("https://a.example:8443/", from: "http://a.example/") == nil)
        #expect(try user("http://a.example:8080/", from: "http://a.example/") == nil)
        let given = DownloadRequest.Credentials(user: "G", password: "")
        #expect(try user("https://a.example/y", from: own, credentials: given) == "G")
        #expect(try user("https://c.example/y", from: own, credentials: given) == nil)
        #expect(try user("https://a.example/", from: "https://U:x@a.example/") == "U")
        let two = "machine a.example login A password 1 machine a.example login U password 2"
        let named = try user("https://a.example/", from: "https://U@a.example/", two)
        #expect(named == "U")
    }

    @Test("A netrc file that is not there ends before anything is fetched")
    func missing() throws {
        var options = DownloadHarness.options()
        options.netrcFile = "/no/such/netrc"
        let error = #expect(throws: DownloadError.self) { try Session(options) }
        #expect(error?.kind == .localFile)
    }
}
