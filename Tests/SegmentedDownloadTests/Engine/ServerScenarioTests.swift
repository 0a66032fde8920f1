import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

@Suite struct ServerScenarioTests {
    @Test("A server that misbehaves gives the right file or a clear refusal", arguments: ServerScenario.all)
    func scenario(_ scenario: ServerScenario) throws {
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
