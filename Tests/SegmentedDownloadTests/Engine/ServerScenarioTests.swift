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

    private func play(_ scenario: ServerScenario) throws {
        let content = PatternContent(seed: 7, length: scenario.length)
        let harness = try DownloadHarness()
        try FaultServer.run(["/file": scenario.route(content)]) { server in
            let result = try harness.run(server.url("/file"))
            try server.release()
            switch (scenario.expected, result) {
            case (.file(let factor), .success(let report)):
                #expect(report.length == content.length)
                #expect(try content.matches(fileAt: harness.folder.path("file")))
                #expect(try harness.folder.names() == ["file"])
                // Whoever makes nothing of HEAD is not asked by it again.
                #expect(server.requests.filter { $0.method == "HEAD" }.count <= 1)
                // What the kernel took on a connection that was then closed never came here.
                #expect(Double(report.receivedByteCount) <= Double(content.length) * factor + 1)
            case (.failure(let kind), .failure(let error)):
                #expect(error.kind == kind, "\(error)")
                #expect(error.message.hasSuffix("."))
                #expect(try !harness.folder.names().contains("file"))
            default:
                Issue.record("expected \(scenario.expected), got \(result)")
            }
        }
    }
}
