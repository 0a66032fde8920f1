import Foundation
import SegdlCommand
import SegmentedDownload
import SegmentedDownloadTestSupport
import Testing

struct PreparationTests {
    private static func complete(
        _ arguments: [String],
        environment: [String: String] = [:],
        password: String? = nil
    ) throws -> Options {
        var options = try CommandLineParser.parse(arguments + ["http://a/"])
        _ = try Preparation.complete(&options, environment: { environment[$0] }, password: { _ in password })
        return options
    }

    /// A file that is there as long as the body runs.
    private static func withFile(_ text: String, _ body: (String) throws -> Void) throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "segdl-\(UUID())")
        try text.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        try body(file.path)
    }

    @Test func `headers come from lines and files, in order`() throws {
        try Self.withFile("C: d\r\nE: f\n") { path in
            let options = try Self.complete(["-H", "A: b", "-H", "@\(path)", "-H", "G: h"])
            #expect(options.request.headers == ["A: b", "C: d", "E: f", "G: h"])
        }
    }

    @Test func `a bad line of a header file is refused without being shown`() throws {
        try Self.withFile("secret\n") { path in
            let error = #expect(throws: DownloadError.self) { try Self.complete(["-H", "@\(path)"]) }
            #expect(error?.kind == .usage)
            #expect(error?.description.contains("secret") == false)
        }
    }

    @Test func `a file that is not there is named`() throws {
        for arguments in [["-H", "@/no/such\u{1B}"], ["--cacert", "/no/such\u{1B}"]] {
            let error = #expect(throws: DownloadError.self) { try Self.complete(arguments) }
            #expect(error?.kind == .localFile)
            #expect(error?.message.contains("'/no/such?'") == true)
            #expect(error?.underlying == "No such file or directory")
        }
    }

    @Test func `headers without an end are cut off`() throws {
        let error = #expect(throws: DownloadError.self) { try Self.complete(["-H", "@/dev/zero"]) }
        #expect(error?.kind == .usage)
    }

    @Test func `the environment names certificates where the options do not`() throws {
        func file(_ arguments: [String], _ environment: [String: String]) throws -> String? {
            try Self.complete(arguments, environment: environment).session.certificateAuthorityFile
        }
        #expect(try file([], [:]) == nil)
        #expect(try file([], ["SSL_CERT_FILE": "/dev/null"]) == "/dev/null")
        #expect(try file([], ["SSL_CERT_FILE": "/dev/zero", "CURL_CA_BUNDLE": "/dev/null"]) == "/dev/null")
        #expect(try file([], ["SSL_CERT_FILE": "/dev/zero", "CURL_CA_BUNDLE": ""]) == "/dev/zero")
        #expect(try file(["--cacert", "/dev/null"], ["CURL_CA_BUNDLE": "/dev/zero"]) == "/dev/null")
    }

    @Test func `the netrc file is NETRC's, else the one at home, and is looked for only with -n`() throws {
        func file(_ arguments: [String], _ environment: [String: String]) throws -> String? {
            try Self.complete(arguments, environment: environment).session.netrcFile
        }
        let home = try TemporaryFolder()
        _ = try home.write("", to: ".netrc")
        #expect(try file([], ["NETRC": "/dev/null", "HOME": home.path]) == nil)
        #expect(try file(["-n"], ["NETRC": "/dev/null", "HOME": home.path]) == "/dev/null")
        #expect(try file(["-n"], ["NETRC": "", "HOME": home.path]) == home.path(".netrc"))
        #expect(try file(["-n"], ["HOME": "/no/such"]) == nil)
        let error = #expect(throws: DownloadError.self) { try Self.complete(["-n"]) }
        #expect(error?.kind == .usage)
    }

    @Test func `a certificate comes with its key's file or alone, and a key never alone`() throws {
        let pair = try Self.complete(["--cert", "/dev/null", "--key", "/dev/zero"]).request.clientCertificate
        #expect(pair == .init(file: "/dev/null", keyFile: "/dev/zero"))
        #expect(try Self.complete(["--cert", "/dev/null"]).request.clientCertificate == .init(file: "/dev/null"))
        let alone = #expect(throws: DownloadError.self) { try Self.complete(["--key", "/dev/null"]) }
        #expect(alone?.kind == .usage)
        let missing = #expect(throws: DownloadError.self) { try Self.complete(["--cert", "/no/such"]) }
        #expect(missing?.kind == .localFile)
    }

    @Test func `cookies are data or files, each as often as they are given`() throws {
        let options = try Self.complete(["-b", "a=1", "-b", "/dev/null", "-b", "b=2; c=3", "--cookie=/dev/zero"])
        #expect(options.request.cookies == "a=1; b=2; c=3")
        #expect(options.session.cookieFiles == ["/dev/null", "/dev/zero"])
        let error = #expect(throws: DownloadError.self) { try Self.complete(["-b", "secret=1\r\nX: y"]) }
        #expect(error?.kind == .usage)
        #expect(error?.message.contains("secret") == false)
    }

    @Test func `a missing password is asked for, and only a missing one`() throws {
        #expect(try Self.complete(["-u", "me:x"], password: "asked").request.credentials?.password == "x")
        #expect(try Self.complete(["-u", "me:"], password: "asked").request.credentials?.password == "")
        #expect(try Self.complete(["-u", "me"], password: "asked").request.credentials?.password == "asked")
        let error = #expect(throws: DownloadError.self) { try Self.complete(["-u", "me"]) }
        #expect(error?.kind == .usage)
    }
}
