import Foundation
import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

/// Which file a download ends in, from the URL and the server's fields to the folder.
@Suite struct NameTests {
    private let content = PatternContent(seed: 61, length: 100_000)

    /// The folder that downloads go to lies within another one, in which nothing may appear.
    private func download(
        _ path: String,
        routes: [String: Route],
        _ change: (inout DownloadRequest) -> Void = { _ in }
    ) throws -> (Result<DownloadReport, DownloadError>, names: [String], targets: [String]) {
        let harness = try DownloadHarness()
        return try FaultServer.run(routes) { server in
            let result = try harness.run(server.url("") + path) {
                $0.directory = harness.folder.path("inner")
                change(&$0)
            }
            #expect(try harness.folder.names().filter { $0 != "inner" }.isEmpty, "something lies outside")
            let names = (try? FileManager.default.contentsOfDirectory(atPath: harness.folder.path("inner"))) ?? []
            return (result, names, server.requests.map(\.target))
        }
    }

    @Test(
        "A URL as typed: what is sent, and what the file is called",
        arguments: [
            ("/a b", "/a%20b", "a b"), ("/a%20b", "/a%20b", "a b"), ("/%5BAB%5D", "/%5BAB%5D", "[AB]"),
            ("/[1-3]", "/[1-3]", "[1-3]"), ("/{a,b}", "/{a,b}", "{a,b}"), ("/100%", "/100%", "100%"),
            ("/ü", "/%c3%bc", "ü"),
            ("/%C3%BC", "/%C3%BC", "ü"), ("/a+b", "/a+b", "a+b"), ("/a%2Fb", "/a%2Fb", "a_b"),
            ("/a%5Cb", "/a%5Cb", "a_b"),
            ("/a%00b", "/a%00b", "ab"), ("/a;b", "/a;b", "a;b"), ("/a%2520b", "/a%2520b", "a%20b"),
            ("/d.pdf#page=5", "/d.pdf", "d.pdf"), ("/get?f=x&y=[1]", "/get?f=x&y=[1]", "get"),
            ("/?id=3", "/?id=3", "index.html"), ("/dir/", "/dir/", "index.html"), ("", "/", "index.html"),
            ("/.bashrc", "/.bashrc", "bashrc"), ("/-rf", "/-rf", "rf"), ("/%2e%2e%2fx", "/%2e%2e%2fx", "_x"),
            ("/a%0D%0Ab%1B[31m", "/a%0D%0Ab%1B[31m", "ab[31m"), ("/x.segdl.part", "/x.segdl.part", "x_segdl.part"),
        ]
    )
    func url(path: String, target: String, name: String) throws {
        let route = String(target.prefix { $0 != "?" })
        let (result, names, targets) = try download(path, routes: [route: Route(content)])
        #expect(try result.get().length == content.length)
        #expect(names == [name])
        #expect(Set(targets) == [target])
    }

    @Test(
        "A name of the server's: the file lies in the folder, and is called so",
        arguments: [
            ("attachment; filename=\"a b.zip\"", "a b.zip"), ("attachment; filename=a b.zip", "a b.zip"),
            ("attachment; filename*=UTF-8''na%C3%AFve.zip; filename=x", "naïve.zip"),
            ("attachment; filename=x; filename*=UTF-8''%FF", "x"), ("filename=\"naïve.zip\"", "naïve.zip"),
            ("attachment; filename=\"=?UTF-8?B?bmHDr3ZlLnppcA==?=\"", "naïve.zip"),
            ("attachment; filename=\"../../x\"", "x"), ("attachment; filename=\"/etc/x\"", "x"),
            ("attachment; filename=\"..\\x\"", "x"), ("attachment; filename*=UTF-8''%2e%2e%2fx", "x"),
            ("attachment; filename=\"%2e%2e%2fx\"", "x"), ("attachment; filename=\".bashrc\"", "bashrc"),
            ("attachment; filename=\"-rf\"", "rf"), ("attachment; filename=\"CON\"", "CON"),
            ("attachment; filename*=UTF-8''a%00b", "ab"), ("attachment; filename*=UTF-8''a%0D%0Ab", "ab"),
            ("attachment; filename*=UTF-8''a%E2%80%AEgpj.exe", "agpj.exe"),
            ("attachment; filename=\".\"", "file"), ("attachment; filename=\"..\"", "file"),
            ("attachment; filename=\"\"", "file"), ("attachment; filename=\"x/\"", "file"), ("attachment", "file"),
            ("attachment; filename=\"x.segdl.journal\"", "x_segdl.journal"),
            ("attachment; filename=\"x.SEGDL.PART\"", "x_segdl.part"),
        ]
    )
    func disposition(field: String, name: String) throws {
        let route = Route(content) { $0.contentDisposition = field }
        let (result, names, _) = try download("/file", routes: ["/file": route])
        #expect(try result.get().length == content.length)
        #expect(names == [name])
    }

    @Test("A refusal of HEAD that looks like a small file does not name it")
    func refusedHead() throws {
        let route = Route(content) { $0.contentDisposition = "attachment; filename=x.zip" }
            .on(.heads) {
                $0.fail(403)
                $0.fields["Accept-Ranges"] = "bytes"
            }
        let (result, names, _) = try download("/file", routes: ["/file": route])
        #expect(try result.get().length == content.length)
        #expect(names == ["x.zip"])
    }

    @Test("A name in raw Latin-1 is read as that")
    func latin1() throws {
        let body = String(repeating: "x", count: 10)
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nContent-Disposition: attachment; filename=\"na"
        let answer = Array(head.utf8) + [0xEF] + Array("ve.zip\"\r\n\r\n\(body)".utf8)
        let route = Route(content) { $0.answer = .raw(answer) }.on(.heads) { $0.answer = .http }
        let (_, names, _) = try download("/file", routes: ["/file": route.on(.heads) { $0.fail(405) }])
        #expect(names == ["naïve.zip"])
    }

    @Test("A name that is too long is cut so that its journal has room, and keeps its extension")
    func long() throws {
        let field = "attachment; filename=\"\(String(repeating: "é", count: 200)).tar.gz\""
        let route = Route(content) { $0.contentDisposition = field }
        let (result, names, _) = try download("/file", routes: ["/file": route])
        #expect(try result.get().length == content.length)
        #expect(names.count == 1 && names.allSatisfy { $0.hasSuffix("é.tar.gz") && $0.utf8.count <= 237 })
    }

    @Test(
        "Where the URL given has no name, the final address gives it; else the URL given does",
        arguments: [
            ("/", "final.zip"), ("/start.zip", "start.zip"),
        ]
    )
    func redirected(start: String, name: String) throws {
        let routes = [start: Route.redirect(to: "/d/final.zip?token=x#y"), "/d/final.zip": Route(content)]
        let (result, names, _) = try download(start, routes: routes)
        #expect(try result.get().length == content.length)
        #expect(names == [name])
    }

    @Test("A server's name never replaces a file that is there")
    func existing() throws {
        let harness = try DownloadHarness()
        let precious = Array("precious".utf8)
        try Data(precious).write(to: URL(fileURLWithPath: harness.folder.path("notes")))
        try FaultServer.run(["/file": Route(content) { $0.contentDisposition = "filename=notes" }]) { server in
            let result = try harness.run(server.url("/file"))
            #expect(throws: DownloadError.self) { try result.get() }
            #expect(try Data(contentsOf: URL(fileURLWithPath: harness.folder.path("notes"))) == Data(precious))
            #expect(try harness.folder.names() == ["notes"])
        }
    }

    @Test(
        "A name of -o that segdl gives to its own files, or that names no file, is refused with 3 and a remedy",
        arguments: [
            "x.segdl.part", "x.segdl.journal", "x.segdl.jnew", "x.SEGDL.PART", "dir/", ".", "..", "a\0b",
            String(repeating: "x", count: 242),
        ]
    )
    func refused(output: String) throws {
        let (result, names, _) = try download("/file", routes: ["/file": Route(content)]) {
            $0.output = output
            if output == "dir/" { $0.directory = "/" }
        }
        guard case .failure(let error) = result else { return #expect(Bool(false), "it was fetched") }
        #expect(error.kind == .localFile)
        #expect(output == "dir/" || error.message.contains("-o"))
        #expect(names.isEmpty)
    }

    @Test("The number of --exists rename counts among the 255 bytes")
    func renamedTooLong() throws {
        let name = String(repeating: "x", count: 241)
        let harness = try DownloadHarness()
        try Data().write(to: URL(fileURLWithPath: harness.folder.path(name)))
        try FaultServer.run(["/file": Route(content)]) { server in
            let result = try harness.run(server.url("/file")) {
                $0.output = name
                $0.existing = .rename
            }
            guard case .failure(let error) = result else { return #expect(Bool(false), "it was fetched") }
            #expect(error.message.contains("too long"))
            #expect(try harness.folder.names() == [name])
        }
    }

    @Test("A slash is a slash, whatever mark stands behind it")
    func combiningMark() throws {
        let (result, names, _) = try download("/file", routes: ["/file": Route(content)]) {
            $0.output = "none/\u{301}x"
        }
        guard case .failure(let error) = result else { return #expect(Bool(false), "it was fetched") }
        #expect(error.message.contains("none' does not exist"))
        #expect(names.isEmpty)
    }
}
