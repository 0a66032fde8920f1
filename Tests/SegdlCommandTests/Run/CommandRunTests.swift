import Foundation
import SegdlCommand
import SegmentedDownload
import SegmentedDownloadTestSupport
import Testing

struct CommandRunTests {
    /// What a run left behind.
    private struct Outcome {
        var status: Int32
        var requests: [DownloadRequest]
        var text: String
    }

    private static func run(
        _ arguments: [String],
        list: String? = nil,
        signals: StopSignals = silentSignals(),
        _ fake: FakeSession
    ) throws -> Outcome {
        let folder = try TemporaryFolder()
        let world = TestConsole()
        let lists = try list.map { [try folder.write($0, to: "list")] } ?? []
        let options = try CommandLineParser.parse(arguments + lists.flatMap { ["-i", $0] })
        let display = Display(options, world.console)
        let source = EntrySource(urls: options.urls, lists: try options.lists.map { try ListFile($0) })
        let status = CommandRun(options, session: fake.session, display: display, signals: signals).fetchAll(source)
        display.flush()
        return Outcome(status: status, requests: fake.requests, text: try world.error.text())
    }

    /// Signals that tests send; the process outlives them.
    private static func silentSignals() -> StopSignals {
        StopSignals([], patience: .seconds(86_400)) { _ in }
    }

    /// Downloads that end at once, as the table says, else well.
    private static func fake(_ failures: [String: DownloadError] = [:]) -> FakeSession {
        FakeSession { fake, index in
            let started = fake.state.read { $0.started[index] }
            let path = "./\(started.request.url.split(separator: "/").last ?? "")"
            started.onEvent(start(path))
            fake.end(index, failures[started.request.url].map { .failure($0) } ?? .success(report(path: path)))
        }
    }

    @Test func `all URLs are tried, and the status is that of the first that failed`() throws {
        let outcome = try Self.run(
            ["http://a/1", "http://a/2", "http://a/3", "http://a/4"],
            Self.fake([
                "http://a/2": DownloadError(.server, "The server said 404.", url: "http://a/2"),
                "http://a/3": DownloadError(.network, "Reset.", url: "http://a/3"),
            ])
        )
        #expect(outcome.status == 8)
        #expect(outcome.requests.map(\.url) == ["http://a/1", "http://a/2", "http://a/3", "http://a/4"])
        #expect(outcome.text.contains("1: 1.0 GiB in"))
        #expect(outcome.text.contains("segdl: http://a/2: The server said 404.\n"))
        #expect(outcome.text.contains("segdl: http://a/3: Reset.\n"))
        #expect(outcome.text.contains("\n2 files, 2.8 GiB in "))
        #expect(outcome.text.hasSuffix(", failed: 2\n"))
    }

    @Test func `the first that failed is the first in the order of the list, not in time`() throws {
        let fake = FakeSession(room: 4) { fake, index in
            guard index == 3 else { return }
            fake.end(2, .failure(DownloadError(.server, "No.")))
            fake.end(1, .failure(DownloadError(.tls, "No.")))
            fake.end(0, .success(report()))
            fake.end(3, .success(report()))
        }
        let outcome = try Self.run((0..<4).map { "http://a/\($0)" }, fake)
        #expect(outcome.status == 5)
        #expect(fake.state.read { $0.greatestOpenCount } == 4)
    }

    @Test func `the next one begins when there is room, and not before`() throws {
        // Each ends the one before it, so that it begins only where there is room for two.
        let fake = FakeSession(room: 2) { fake, index in
            if index > 0 { fake.end(index - 1, .success(report())) }
            if index == 9 { fake.end(9, .success(report())) }
        }
        let outcome = try Self.run((0..<10).map { "http://a/\($0)" }, fake)
        #expect(outcome.status == 0)
        #expect(fake.state.read { $0.greatestOpenCount } == 2)
    }

    @Test func `requests of one run share the paths that are taken; a single one has nobody to share with`() throws {
        let outcome = try Self.run(["http://a/1", "http://a/2"], Self.fake())
        let taken = outcome.requests.map(\.takenPaths)
        #expect(taken[0] != nil && taken[0] === taken[1])
        #expect(try Self.run(["http://a/1"], Self.fake()).requests[0].takenPaths == nil)
    }

    @Test func `a list's entries come after the operands, without a HEAD, each with its own options`() throws {
        let list = "http://a/1\n  out=x\n  header=C: d\nhttp://a/2\n  dir=e\n"
        let outcome = try Self.run(["http://a/0", "-d", "dir"], list: list, Self.fake())
        #expect(outcome.requests.map(\.url) == ["http://a/0", "http://a/1", "http://a/2"])
        #expect(outcome.requests.map(\.skipsHead) == [false, true, true])
        #expect(outcome.requests.map(\.output) == [nil, "x", nil])
        #expect(outcome.requests.map(\.directory) == ["dir", "dir", "e"])
        #expect(outcome.requests.map(\.headers) == [[], ["C: d"], []])
    }

    @Test func `a line that is wrong is its entry's failure and stops no other`() throws {
        let outcome = try Self.run([], list: "http://a/1\nx\nhttp://a/3\n", Self.fake())
        #expect(outcome.status == 2)
        #expect(outcome.requests.map(\.url) == ["http://a/1", "http://a/3"])
        #expect(outcome.text.contains("segdl: Line 2 of '"))
        #expect(outcome.text.contains("': 'x' is not a URL: it must begin with 'http://' or 'https://'.\n"))
        #expect(outcome.text.hasSuffix(", failed: 1\n"))
    }

    @Test func `when the time is over, one sentence stands for all entries that were not begun`() throws {
        let fake = FakeSession { fake, index in
            let end = ContinuousClock.now + .milliseconds(2)
            while .now < end {}
            fake.end(index, .failure(DownloadError(.network, "The time is over.")))
        }
        let list = (0..<1000).map { "http://a/\($0)\n" }.joined()
        let outcome = try Self.run(["--max-time", "0.001", "--progress=none"], list: list, fake)
        #expect(outcome.status == 4)
        #expect(fake.requests.count <= 1)
        #expect(outcome.text.contains("The time of the whole run (--max-time) is over before this entry"))
        #expect(outcome.text.split(separator: "\n").count == fake.requests.count + 2)
    }

    @Test func `a pipe that stays open is not waited for when the time is over`() throws {
        let pipe = Pipe()
        let path = "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)"
        let world = TestConsole()
        let options = try CommandLineParser.parse(["--max-time", "0.05", "-i", path])
        let display = Display(options, world.console)
        let run = CommandRun(
            options,
            session: Self.fake().session,
            display: display,
            signals: Self.silentSignals()
        )
        #expect(run.fetchAll(EntrySource(urls: [], lists: [try ListFile(.file(path))])) == 4)
        display.flush()
        let begin = "fetching the files of a list\nsegdl: The time of the whole run (--max-time) is over before"
        #expect(try world.error.text().hasPrefix(begin))
        try pipe.fileHandleForWriting.close()
    }

    @Test func `an empty list is no failure`() throws {
        let outcome = try Self.run([], list: "# nothing\n", Self.fake())
        #expect(outcome.status == 0)
        #expect(outcome.text == "There is no URL in the list.\n")
    }

    @Test func `a single URL gets no summary`() throws {
        let outcome = try Self.run(["--progress=none", "http://a/1"], Self.fake())
        #expect(outcome.status == 0)
        #expect(outcome.text.split(separator: "\n").count == 1)
    }

    @Test func `a signal cancels what is open, begins nothing more, and says how many are complete`() throws {
        let signals = Self.silentSignals()
        // Weak: the signals keep what they cancel.
        let fake = FakeSession(room: 3) { [weak signals] fake, index in
            if index < 2 { fake.end(index, .success(report())) }
            if index == 3 { signals?.received(15) }
        }
        let list = (0..<1000).map { "http://a/\($0)\n" }.joined()
        let outcome = try Self.run(["--progress=none"], list: list, signals: signals, fake)
        #expect(fake.requests.count == 4)
        #expect(fake.state.read { $0.isCancelled && $0.openCount == 0 })
        let sentence = "Stopped: 2 of 1000 files are complete; run the same command to go on.\n"
        #expect(outcome.text.hasSuffix(sentence))
        #expect(!outcome.text.contains("segdl:"))
    }

    @Test func `a failure before the signal keeps its own line`() throws {
        let signals = Self.silentSignals()
        let fake = FakeSession { [weak signals] fake, index in
            if index == 0 { return fake.end(0, .failure(DownloadError(.server, "No."))) }
            signals?.received(2)
        }
        let outcome = try Self.run(["--progress=none", "http://a/1", "http://a/2"], signals: signals, fake)
        #expect(outcome.status == 8)
        #expect(
            outcome.text
                == "segdl: http://a/1: No.\nStopped: 0 of 2 files are complete; run the same command to go on.\n"
        )
    }

    @Test func `10,000 entries leave one line each, in order`() throws {
        let folder = try TemporaryFolder()
        let output = folder.path("output")
        let list = try folder.write((0..<10_000).map { "http://a/\($0)\n" }.joined(), to: "list")
        let descriptor = try #require(FileOutput(output))
        let console = Console(output: descriptor.stream, error: descriptor.stream, environment: { _ in nil })
        let options = try CommandLineParser.parse(["--progress=plain", "-i", list])
        let display = Display(options, console)
        let run = CommandRun(
            options,
            session: Self.fake().session,
            display: display,
            signals: Self.silentSignals()
        )
        #expect(run.fetchAll(EntrySource(urls: [], lists: [try ListFile(.file(list))])) == 0)
        display.flush()
        let lines = try descriptor.text().split(separator: "\n").filter { $0.hasSuffix("strong ETag") }
        #expect(lines.count == 10_000)
        #expect(lines.enumerated().allSatisfy { $1.hasPrefix("\($0): ") })
    }
}
