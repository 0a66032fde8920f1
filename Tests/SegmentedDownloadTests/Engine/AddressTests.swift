import Foundation
import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

@Suite struct AddressTests {
    private let content = PatternContent(seed: 2, length: 1 * MiB)

    private func run(
        _ addresses: String,
        _ change: (inout SessionOptions) -> Void = { _ in }
    ) throws -> (Result<DownloadReport, DownloadError>, elapsed: Duration) {
        let harness = try DownloadHarness()
        return try FaultServer.run(["/file": Route(content)]) { server in
            var options = DownloadHarness.options()
            options.noProxy = "*"
            // An address that is waited for costs at least half of it.
            options.connectTimeout = .seconds(100)
            options.resolve = ["name.invalid:\(server.port):\(addresses)"]
            change(&options)
            let start = ContinuousClock.now
            let result = try harness.run("http://name.invalid:\(server.port)/file", options: options)
            return (result, .now - start)
        }
    }

    @Test(
        "An address that refuses, or leads nowhere, among several costs next to nothing",
        arguments: [
            "127.0.0.1", "[::1],127.0.0.1", "[100::1],127.0.0.1", "127.0.0.2,127.0.0.1", "[::1],127.0.0.2,127.0.0.1",
        ]
    )
    func deadAddress(addresses: String) throws {
        let (result, elapsed) = try run(addresses)
        let report = try result.get()
        #expect(report.length == content.length)
        #expect(elapsed < .seconds(30))
    }

    @Test("An IPv6 address that swallows every packet does not hold up the IPv4 one")
    func blackHole() throws {
        let hole = try BlackHole()
        let (result, elapsed) = try {
            let harness = try DownloadHarness()
            // The hole has the port; the server has the same one on IPv4.
            return try FaultServer.run(["/file": Route(content)], port: hole.port) { server in
                var options = DownloadHarness.options()
                options.noProxy = "*"
                options.connectTimeout = .seconds(100)
                options.resolve = ["name.invalid:\(server.port):[::1],127.0.0.1"]
                let start = ContinuousClock.now
                let result = try harness.run("http://name.invalid:\(server.port)/file", options: options)
                return (result, ContinuousClock.now - start)
            }
        }()
        let report = try result.get()
        #expect(report.length == content.length)
        // 200 ms a connection (CURLOPT_HAPPY_EYEBALLS_TIMEOUT_MS), HEAD first.
        #expect(elapsed < .seconds(30))
    }

    @Test("An IPv4 address that swallows every packet, before a good one, costs half of the connect timeout")
    func blackHoleIPv4() throws {
        let hole = try BlackHole("127.0.0.3")
        let harness = try DownloadHarness()
        try FaultServer.run(["/file": Route(content)], port: hole.port) { server in
            var options = DownloadHarness.options()
            options.noProxy = "*"
            options.connectTimeout = .seconds(1)
            options.stallTimeout = .seconds(20)
            options.resolve = ["name.invalid:\(server.port):127.0.0.3,127.0.0.1"]
            let report = try harness.run("http://name.invalid:\(server.port)/file", options: options).get()
            #expect(report.length == content.length)
        }
    }

    @Test("-4 and -6 choose the family")
    func family() throws {
        #expect(try run("[::1],127.0.0.1") { $0.addressFamily = .ipv4 }.0.get().length == content.length)
        let error = #expect(throws: DownloadError.self) {
            try run("[::1],127.0.0.1") { $0.addressFamily = .ipv6 }.0.get()
        }
        #expect(error?.kind == .network)
    }

    @Test("A name that nobody resolves fails soon, and is named")
    func unresolved() throws {
        let harness = try DownloadHarness()
        let error = #expect(throws: DownloadError.self) {
            try harness.run("http://name.invalid/file").get()
        }
        #expect(error?.kind == .network)
        #expect(error?.message.contains("name.invalid") == true)
    }

    @Test("Connections come from the interface or the address that was named")
    func interface() throws {
        let harness = try DownloadHarness()
        let proxy = try ProxyServer()
        defer { proxy.stop() }
        try FaultServer.run(["/file": Route(content)]) { server in
            for (name, peer) in [("127.0.0.9", "127.0.0.9"), ("lo", "127.0.0.1")] {
                var options = DownloadHarness.options()
                options.proxy = proxy.authority
                options.noProxy = ""
                options.interface = name
                let count = proxy.requests.count
                let result = try harness.run(server.url("/file"), options: options) { $0.existing = .overwrite }
                let report = try result.get()
                #expect(report.length == content.length)
                #expect(proxy.requests.dropFirst(count).allSatisfy { $0.peer == peer })
            }
            var options = DownloadHarness.options()
            options.interface = "no-such-interface"
            let error = #expect(throws: DownloadError.self) {
                try harness.run(server.url("/file"), options: options) { $0.existing = .overwrite }.get()
            }
            #expect(error?.kind == .network)
            #expect(error?.underlying?.contains("no-such-interface") == true)
        }
    }

    @Test("A bad entry of --resolve ends before anything is fetched")
    func badEntry() throws {
        var options = DownloadHarness.options()
        options.resolve = ["a:80:not-an-address"]
        let error = #expect(throws: DownloadError.self) { try Session(options) }
        #expect(error?.kind == .usage)
    }

    @Test("With --https-only an http URL is usage, and a redirect to one is refused before it is asked")
    func httpsOnly() throws {
        let harness = try DownloadHarness()
        try FaultServer.run(["/file": Route(content)]) { server in
            let error = #expect(throws: DownloadError.self) {
                try harness.run(server.url("/file?planted")) { $0.requiresHTTPS = true }.get()
            }
            #expect(error?.kind == .usage)
            #expect(error?.message.contains("planted") == false)
            #expect(server.requests.isEmpty)
        }
    }
}
