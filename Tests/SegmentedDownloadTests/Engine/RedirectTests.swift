import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

@Suite struct RedirectTests {
    private let content = PatternContent(seed: 3, length: 1 * MiB)

    @Test("Header lines, credentials and Referer reach the origin that they were given for, and no other")
    func credentialsStay() throws {
        let harness = try DownloadHarness()
        try FaultServer.run(["/file": Route(content)], address: "127.0.0.2") { other in
            try FaultServer.run(["/start": .redirect(to: other.url("/file"))]) { server in
                let result = try harness.run(server.url("/start")) {
                    $0.headers = ["Private-Token: secret", "Cookie: a=b"]
                    $0.referer = "http://example.com/"
                    $0.credentials = .init(user: "me", password: "secret")
                }
                #expect(try result.get().length == content.length)
                let first = try #require(server.requests.first)
                #expect(first.fields["Private-Token"] == "secret")
                #expect(first.fields["Authorization"] != nil)
                for request in other.requests {
                    for name in ["Private-Token", "Cookie", "Authorization", "Referer"] {
                        #expect(request.fields[name] == nil, "\(name) reached another origin")
                    }
                }
                #expect(try content.matches(fileAt: harness.folder.path("start")))
            }
        }
    }

    @Test("A user name in the URL, without a password, goes to its origin alone")
    func userName() throws {
        let harness = try DownloadHarness()
        try FaultServer.run(["/file": Route(content)], address: "127.0.0.2") { other in
            try FaultServer.run(["/start": .redirect(to: other.url("/file"))]) { server in
                let url = server.url("/start").replacing("http://", with: "http://me@")
                let report = try harness.run(url).get()
                #expect(report.length == content.length)
                #expect(server.requests.allSatisfy { $0.fields["Authorization"] != nil })
                #expect(other.requests.allSatisfy { $0.fields["Authorization"] == nil })
            }
        }
    }

    @Test("A redirect within the origin keeps them, and segments do not walk it again")
    func sameOrigin() throws {
        let harness = try DownloadHarness()
        let routes = ["/start": Route.redirect(to: "/file"), "/file": Route(content) { $0.credentials = "me:secret" }]
        try FaultServer.run(routes) { server in
            let url = server.url("/start").replacing("http://", with: "http://me:secret@")
            let report = try harness.run(url).get()
            #expect(report.path.hasSuffix("/start"))
            #expect(server.log.requests(for: "/start").count == 1)
        }
    }

    @Test("Each status that redirects does", arguments: [301, 302, 303, 307, 308])
    func statuses(status: Int) throws {
        let harness = try DownloadHarness()
        let routes = ["/start": Route.redirect(to: "file", status: status), "/file": Route(content)]
        try FaultServer.run(routes) { server in
            let report = try harness.run(server.url("/start")).get()
            #expect(report.length == content.length)
        }
    }

    @Test("20 redirects are followed, 21 are not", arguments: [20, 21])
    func limit(count: Int) throws {
        let harness = try DownloadHarness()
        var routes = ["/\(count)": Route(content)]
        for number in 0..<count { routes["/\(number)"] = .redirect(to: "/\(number + 1)") }
        try FaultServer.run(routes) { server in
            let result = try harness.run(server.url("/0"))
            switch result {
            case .success: #expect(count == 20)
            case .failure(let error):
                #expect(count == 21)
                #expect(error.kind == .protocol)
            }
        }
    }
}
