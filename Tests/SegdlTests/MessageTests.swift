import Foundation
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

/// Whatever fails, and however much is asked for: no secret and no control character reaches the user, and every error
/// names what to do.
@Suite struct MessageTests {
    /// One way in which a run can end.
    struct Case: Sendable, CustomStringConvertible {
        let description: String
        let status: Int32
        let arguments: [String]
        let route: Route

        init(_ description: String, _ status: Int32, _ route: Route, arguments: [String] = []) {
            self.description = description
            self.status = status
            self.route = route
            self.arguments = arguments
        }
    }

    /// Each planted secret begins so.
    private static let secret = "secret"
    private static let escape = "\u{1B}]0;evil\u{7}\u{9B}31m"
    private static let content = PatternContent(seed: 63, length: 300_000)

    private static func honest(_ change: (inout Behaviour) -> Void = { _ in }) -> Route { Route(content, change) }

    private static func location(_ text: String) -> Route { .redirect(to: text) }

    static let cases: [Case] = [
        Case("success under a name with escapes", 0, honest { $0.contentDisposition = "filename=\"a\(escape)b\"" }),
        Case("an unknown status", 8, honest { $0.fail(499) }),
        Case("403", 8, honest { $0.fail(403) }), Case("404", 8, honest { $0.fail(404) }),
        Case("401", 6, honest { $0.fail(401) }), Case("407", 6, honest { $0.fail(407) }),
        Case("503", 8, honest { $0.fail(503) }), Case("429", 8, honest { $0.fail(429, retryAfter: "0") }),
        Case("Retry-After for an hour", 8, honest { $0.fail(503, retryAfter: "3600") }),
        Case("a reason phrase with escapes", 8, .raw("HTTP/1.1 404 \(escape)\r\nContent-Length: 0\r\n\r\n")),
        Case("no HTTP at all", 7, .raw("220 \(escape) SMTP\r\n")),
        Case("no answer", 4, honest { $0.answer = .close }),
        Case("a reset", 4, honest { $0.answer = .reset }),
        Case("silence", 4, honest { $0.answer = .silence }),
        Case("a redirect to itself", 7, location("/file?token=secret2")),
        Case("a redirect to another scheme", 7, location("file:///secret3/\(escape)")),
        Case("a redirect without a location", 7, honest { $0.status = 302 }),
        Case("a redirect to nowhere, with secrets", 4, location("http://u:secret4@127.0.0.1:1/x?secret5#secret6")),
        Case("a redirect to a port that is none", 7, location("http://u:secret4@127.0.0.1:x/y?secret5")),
        Case("a redirect to a host of escapes", 7, location("http://u:secret4@a%C2%9B31mb.invalid/x?secret5")),
        Case("a body cut short", 4, honest { $0.cut = .after(0) }),
        Case("an encoded body", 7, honest { $0.fields["Content-Encoding"] = "x\(escape)" }),
        Case("a Content-Range with escapes", 0, honest { $0.contentRange = .literal("bytes \(escape)") }),
        Case(
            "lengths that contradict each other",
            7,
            .raw(
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\(escape)\r\n\r\nhello"
            )
        ),
        Case(
            "a media type and an ETag with escapes",
            0,
            honest {
                $0.contentType = "text/\(escape)"
                $0.etag = .literal("\"\(escape)\"")
            }
        ),
        Case("a folder that is not there", 3, honest(), arguments: ["-o", "none/\(escape)/x"]),
        Case("a name for a folder", 3, honest(), arguments: ["-o", "x\(escape)/"]),
        Case("a header that is none", 2, honest(), arguments: ["-H", "secret7"]),
        Case("a header file that is not there", 3, honest(), arguments: ["-H", "@none\(escape)"]),
        Case("a proxy that is not there", 4, honest(), arguments: ["-x", "http://me:secret14@127.0.0.1:1"]),
        Case("a proxy of no kind", 2, honest(), arguments: ["-x", "foo://me:secret14@127.0.0.1:1"]),
        Case("a proxy whose password has a slash", 2, honest(), arguments: ["-x", "http://me:secret/14@127.0.0.1:1"]),
        Case("a cookie file that is not there", 0, honest(), arguments: ["-b", "none\(escape)"]),
        Case("a cookie file that is none", 3, honest(), arguments: ["-b", "/"]),
        Case("416 to everything", 8, honest { $0.status = 416 }),
        Case("an unknown option", 2, honest(), arguments: ["--\(escape)"]),
        Case("an invalid value", 2, honest(), arguments: ["-j", "\(escape)"]),
    ]

    private static let styles: [[String]] = [
        [], ["-v"], ["-q"], ["--progress", "json"], ["--progress", "json", "-v"],
    ]

    private static let carried = [
        "-u", "me:secret10", "-H", "Private-Token: secret11", "-H", "Cookie: a=secret12", "-b", "c=secret15",
        "--referer",
        "http://r/?secret13",
        "--retry", "1", "--stall-timeout", "0.5", "--connect-timeout", "5",
    ]

    @Test("No secret and nothing that a terminal obeys is printed; errors name a remedy", arguments: cases)
    func silent(_ test: Case) throws {
        try FaultServer.run(["/file": test.route]) { server in
            for style in Self.styles {
                let url =
                    server.url("/file?token=secret1").replacing("http://", with: "http://me:secret0@") + "#secret9"
                let segdl = try SegdlBinary()
                let result = try segdl.run(style + Self.carried + test.arguments + [url])
                #expect(result.end == .exit(test.status), "\(style): \(result.standardError)")
                expectClean(result, style)
                if test.status != 0 { expectRemedy(result, style) }
            }
        }
    }

    private func expectClean(_ result: ChildProcess.Result, _ style: [String]) {
        for text in [result.standardOutput, result.standardError] {
            #expect(!text.contains(Self.secret), "\(style): \(text)")
            let isObeyed = { (scalar: Unicode.Scalar) in
                scalar != "\n" && [.control, .format].contains(scalar.properties.generalCategory)
            }
            #expect(!text.unicodeScalars.contains(where: isObeyed), "\(style): \(text.debugDescription)")
        }
    }

    /// What happened and what to do are one sentence, or two; the second half follows a semicolon, a colon or a stop.
    private func expectRemedy(_ result: ChildProcess.Result, _ style: [String]) {
        let last = result.standardError.split(separator: "\n").last { $0.hasPrefix("segdl: ") } ?? ""
        let sentence = last.dropFirst("segdl: ".count)
        #expect(!sentence.isEmpty, "\(style): \(result.standardError)")
        let words = [
            "check", "run", "choose", "give", "try", "write", "sign in", "takes", "written", "create", "did you mean",
            "lists", "must", "fetch",
        ]
        #expect(words.contains { sentence.lowercased().contains($0) }, "no remedy: \(sentence)")
    }

    #if os(Linux)
        @Test("What libcurl quotes of a certificate is not obeyed", .enabled(if: NginxServer.missing == nil))
        func certificate() throws {
            let nginx = try NginxServer(commonName: "evil\u{1B}]0;evil\u{7}")
            defer { nginx.stop() }
            _ = try nginx.makeFile("file", length: 10, seed: 1)
            for style in Self.styles {
                let segdl = try SegdlBinary()
                let url = nginx.secureURL("/file?secret1#secret2")
                let result = try segdl.run(style + ["--cacert", nginx.authorityPath, url])
                #expect(result.end == .exit(5), "\(result.standardError)")
                #expect(result.standardError.contains("evil?"), "libcurl quotes it no more: \(result.standardError)")
                expectClean(result, style)
            }
        }
    #endif
}
