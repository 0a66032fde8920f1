import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

/// A server that misbehaves gives the right file or a clear refusal.
@Suite struct ServerScenarioTests {
    @Test("Whatever HEAD and the first GET are answered", arguments: ServerScenario.probes)
    func probes(_ scenario: ServerScenario) throws { try play(scenario) }

    @Test("Whatever becomes of ranges", arguments: ServerScenario.ranges)
    func ranges(_ scenario: ServerScenario) throws { try play(scenario) }

    @Test("However bodies end, or don't", arguments: ServerScenario.bodies)
    func bodies(_ scenario: ServerScenario) throws { try play(scenario) }

    @Test("What can't be had is refused", arguments: ServerScenario.failures)
    func failures(_ scenario: ServerScenario) throws { try play(scenario) }

    @Test("Whatever the validators are", arguments: ServerScenario.identity)
    func identity(_ scenario: ServerScenario) throws { try play(scenario) }

    @Test("What has no end is ended", arguments: ServerScenario.endless)
    func endless(_ scenario: ServerScenario) throws { try play(scenario) }

    @Test("A byte now and then sets the stall clock back: no connection is ended for it")
    func dribble() throws {
        let content = PatternContent(seed: 7, length: 256 * KiB)
        let harness = try DownloadHarness()
        var options = DownloadHarness.options()
        options.stallTimeout = .seconds(2)
        // Ten bytes within each stall timeout, and half as long again.
        let route = Route(content).on(.ranged) { $0.dribble = .after(64 * KiB - 15, each: .milliseconds(200)) }
        try FaultServer.run(["/file": route]) { server in
            _ = try harness.run(server.url("/file"), options: options).get()
            #expect(try content.matches(fileAt: harness.folder.path("file")))
            #expect(harness.failedConnections.isEmpty)
        }
    }

    private func play(_ scenario: ServerScenario) throws {
        let content = PatternContent(seed: 7, length: scenario.length)
        let harness = try DownloadHarness()
        try FaultServer.run(["/file": scenario.route(content)]) { server in
            var options = DownloadHarness.options()
            // All end long before: what would not must not hold up the tests.
            options.maximumTime = .seconds(60)
            let result = try harness.run(server.url("/file"), options: options)
            try server.release()
            switch (scenario.expected, result) {
            case (.parts(let factor), .success(let report)):
                try expectFile(content, report, atMost: factor, harness, server)
                #expect(harness.notes.allSatisfy { !$0.contains("stream") })
            case (.file(let factor), .success(let report)):
                try expectFile(content, report, atMost: factor, harness, server)
            case (.failure(let kind), .failure(let error)):
                #expect(error.kind == kind, "\(error)")
                #expect(error.message.hasSuffix("."))
                #expect(!error.message.contains("--max-time"), "it did not end by itself")
                #expect(try !harness.folder.names().contains("file"))
            default:
                Issue.record("expected \(scenario.expected), got \(result)")
            }
        }
    }

    private func expectFile(
        _ content: PatternContent,
        _ report: DownloadReport,
        atMost factor: Double,
        _ harness: DownloadHarness,
        _ server: FaultServer
    ) throws {
        #expect(report.length == content.length)
        #expect(try content.matches(fileAt: harness.folder.path("file")))
        #expect(try harness.folder.names() == ["file"])
        // Whoever makes nothing of HEAD is not asked by it again.
        #expect(server.requests.filter { $0.method == "HEAD" }.count <= 1)
        // What the kernel took on a connection that was then closed never came here.
        #expect(Double(report.receivedByteCount) <= Double(content.length) * factor + 1)
    }
}
