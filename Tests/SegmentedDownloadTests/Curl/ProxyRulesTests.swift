@testable import SegmentedDownload
import Testing

struct ProxyRulesTests {
    private func proxy(
        _ url: String,
        option: String? = nil,
        noProxy: String? = nil,
        _ environment: [String: String] = [:]
    ) throws -> String {
        let rules = ProxyRules(proxy: option, noProxy: noProxy) { environment[$0] }
        return switch rules.route(to: try HTTPURL(url)) {
        case .direct: "direct"
        case .proxy(let proxy, let source): "\(proxy.address) \(source)"
        case .refused(let error): "refused \(error.kind)"
        }
    }

    @Test func `each variable counts as it does with curl`() throws {
        let all = [
            "http_proxy": "p1:1", "HTTP_PROXY": "p2:1", "https_proxy": "p3:1", "HTTPS_PROXY": "p4:1",
            "all_proxy": "p5:1", "ALL_PROXY": "p6:1",
        ]
        #expect(try proxy("http://a/", all) == "http://p1:1 http_proxy")
        #expect(try proxy("https://a/", all) == "http://p3:1 https_proxy")
        #expect(try proxy("http://a/", ["HTTP_PROXY": "p2:1"]) == "direct")
        #expect(try proxy("http://a/", ["https_proxy": "p3:1"]) == "direct")
        #expect(try proxy("https://a/", ["HTTPS_PROXY": "p4:1", "ALL_PROXY": "p6:1"]) == "http://p4:1 HTTPS_PROXY")
        #expect(try proxy("http://a/", ["http_proxy": "", "all_proxy": "p5:1"]) == "http://p5:1 all_proxy")
        #expect(try proxy("https://a/", ["ALL_PROXY": "socks5h://p6:1"]) == "socks5h://p6:1 ALL_PROXY")
    }

    @Test func `an option counts before the environment, and an empty one means none`() throws {
        let environment = ["http_proxy": "p1:1", "no_proxy": "b"]
        #expect(try proxy("http://a/", option: "p9:1", environment) == "http://p9:1 --proxy")
        #expect(try proxy("https://a/", option: "p9:1", environment) == "http://p9:1 --proxy")
        #expect(try proxy("http://a/", option: "", environment) == "direct")
        #expect(try proxy("http://b/", option: "p9:1", environment) == "direct")
        #expect(try proxy("http://b/", noProxy: "", environment) == "http://p1:1 http_proxy")
        #expect(try proxy("http://a/", option: "p9:1", noProxy: "*") == "direct")
    }

    @Test(arguments: ["socks://127.0.0.1:1/", "garbage", "16", "ftp://p:1", "http://", "a b:1", "socks4://p:1", "p:x"])
    func `a bad value is refused only where it would be used, and is not shown`(_ value: String) throws {
        let environment = ["ALL_PROXY": value, "no_proxy": "127.0.0.1,localhost"]
        #expect(try proxy("http://a/", environment) == "refused usage")
        #expect(try proxy("http://127.0.0.1:8/", environment) == "direct")
        #expect(try proxy("http://a/", option: "p:1", environment) == "http://p:1 --proxy")
        let rules = ProxyRules(proxy: nil, noProxy: nil) { environment[$0] }
        guard case .refused(let error) = rules.route(to: try HTTPURL("http://a/")) else { return }
        #expect(error.message.contains("ALL_PROXY"))
        #expect(!error.message.contains(value) || value == "http://" || value == "16")
    }

    @Test func `forms of a proxy's address`() throws {
        #expect(try Proxy("proxy.example").address == "http://proxy.example:1080")
        #expect(try Proxy("https://proxy").address == "https://proxy:443")
        #expect(try Proxy("SOCKS5://[::1]:9").address == "socks5://[::1]:9")
        let full = try Proxy("http://me:se%3Acret@proxy:3128/")
        #expect(full.address == "http://proxy:3128")
        #expect(full.authority == "proxy:3128")
        #expect(full.credentials == .init(user: "me", password: "se:cret"))
    }

    @Test(arguments: [
        ("example.org", "example.org", true), ("example.org", "www.example.org", true),
        ("example.org", "badexample.org", false), (".example.org", "www.EXAMPLE.org", true),
        (".example.org", "example.org", true), ("example.org.", "example.org", true), ("a, b c", "c", true),
        ("example.org", "example.org.", true), ("*", "anything", true), ("*.org", "a.org", false), ("", "a", false),
        ("10.0.0.0/8", "10.200.3.4", true), ("10.0.0.0/8", "11.0.0.1", false), ("10.0.0.0/9", "10.128.0.1", false),
        ("0.0.0.0/0", "9.9.9.9", true), ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "127.0.0.10", false),
        ("10.0.0.0/33", "10.0.0.1", false), ("10.0.0.0/x", "10.0.0.1", false), ("0.0.1", "127.0.0.1", false),
        ("::1", "[::1]", true), ("[::1]", "[::1]", true), ("fd00::/8", "[fd12::3]", true),
        ("fd00::/8", "[fe00::]", false),
        ("10.0.0.0/8", "[::1]", false),
    ])
    func `a list of hosts without proxy matches as curl's does`(_ list: String, _ host: String, _ expected: Bool) {
        #expect(NoProxyList(list).contains(host) == expected)
    }

    @Test func `entries of --resolve are checked`() throws {
        for good in ["a:80:127.0.0.1", "a.b:443:[::1],127.0.0.1", "*:1:::1", "a:65535:::1,::2"] {
            try ResolveEntry.check(good)
        }
        for bad in [
            "", "a", "a:80", "a:80:", "a:0:127.0.0.1", "a:65536:127.0.0.1", "a:x:127.0.0.1", ":80:127.0.0.1",
            "a:80:host", "a:80:127.0.0.1,", "-a:80:127.0.0.1", "+a:80:127.0.0.1", "a:80:[::1", "a:80:[]", "a b:1:::1",
        ] {
            let error = #expect(throws: DownloadError.self, "\(bad)") { try ResolveEntry.check(bad) }
            #expect(error?.kind == .usage)
        }
    }
}
