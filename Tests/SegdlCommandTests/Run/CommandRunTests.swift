import SegdlCommand
import SegmentedDownload
import Testing

struct CommandRunTests {
    /// Runs with downloads that end as the table says.
    private static func run(
        _ urls: [String],
        _ results: [String: Result<DownloadReport, DownloadError>]
    ) throws -> (status: Int32, requests: [DownloadRequest], text: String) {
        let world = TestConsole()
        let options = try CommandLineParser.parse(urls)
        let display = Display(options, world.console)
        let requests = Requests()
        let status = CommandRun(options, display: display, signals: StopSignals([]) { _ in }) { request, onEvent in
            requests.add(request)
            onEvent(start("./\(request.url.split(separator: "/").last ?? "")"))
            return ended(results[request.url] ?? .failure(DownloadError(.other, "No such fake.")))
        }.fetchAll()
        display.flush()
        return (status, requests.all, try world.error.text())
    }

    @Test func `all URLs are tried, and the status is that of the first that failed`() throws {
        let outcome = try Self.run(
            ["http://a/1", "http://a/2", "http://a/3", "http://a/4"],
            [
                "http://a/1": .success(report(path: "./1")),
                "http://a/2": .failure(DownloadError(.server, "The server said 404.", url: "http://a/2")),
                "http://a/3": .failure(DownloadError(.network, "Reset.", url: "http://a/3")),
                "http://a/4": .success(report(path: "./4")),
            ]
        )
        #expect(outcome.status == 8)
        #expect(outcome.requests.map(\.url) == ["http://a/1", "http://a/2", "http://a/3", "http://a/4"])
        #expect(outcome.text.contains("1: 1.0 GiB in"))
        #expect(outcome.text.contains("segdl: http://a/2: The server said 404.\n"))
        #expect(outcome.text.contains("segdl: http://a/3: Reset.\n"))
        #expect(outcome.text.hasSuffix("verified by strong ETag\n"))
    }

    @Test func `all URLs share the names that were taken`() throws {
        let outcome = try Self.run(
            ["http://a/1", "http://a/2", "http://a/3"],
            ["http://a/1": .success(report(path: "./1"))]
        )
        #expect(Set(outcome.requests.map { $0.takenPaths.map(ObjectIdentifier.init) }).count == 1)
        #expect(outcome.requests.allSatisfy { $0.takenPaths != nil })
        #expect(outcome.status == 1)
    }

    @Test func `success of all is status 0`() throws {
        #expect(try Self.run(["http://a/1"], ["http://a/1": .success(report())]).status == 0)
    }
}
