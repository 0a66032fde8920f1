import Foundation
import SegdlCommand
import SegmentedDownload
import Testing

struct DisplayTests {
    @Test(arguments: [
        (Options.ProgressMode.auto, true, true, Options.ProgressMode.bar), (.auto, true, false, .plain),
        (.auto, false, true, .plain), (.bar, true, false, .bar), (.bar, false, true, .plain),
        (.plain, true, true, .plain),
        (.json, true, true, .json), (.none, true, true, .none),
    ])
    func `a bar comes only where the terminal can show it`(
        _ mode: Options.ProgressMode,
        _ isCapable: Bool,
        _ isForeground: Bool,
        _ expected: Options.ProgressMode
    ) {
        #expect(Display.shape(mode, isCapable: isCapable, isForeground: isForeground) == expected)
    }

    @Test func `JSON goes to standard output, and only errors to standard error`() throws {
        let world = TestConsole()
        let display = try world.display(["--progress=json"])
        display.begin(entry)
        display.handle(start(), of: 1)
        display.handle(.note("A note."), of: 1)
        display.fail(Failure(DownloadError(.server, "The server said 404.")), of: 1)
        display.flush()
        let events = try world.output.text().split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])["event"] as? String
        }
        #expect(events == ["start", "note", "error"])
        #expect(try world.error.text() == "segdl: The server said 404.\n")
    }

    @Test func `quiet says nothing but errors`() throws {
        let world = TestConsole()
        let display = try world.display(["-q"])
        display.begin(entry)
        display.handle(start(), of: 1)
        display.handle(.note("A note."), of: 1)
        display.finish(report(), of: 1)
        display.flush()
        #expect(try world.error.text() == "")
        #expect(try world.output.text() == "")
    }

    @Test(arguments: [Options.Verbosity.quiet, .normal, .verbose])
    func `an event that wakes nobody changes no text`(_ verbosity: Options.Verbosity) {
        let events: [DownloadEvent] = [
            start(), connection(1, .opened, "new"), retry(1, .seconds(1), "cut"), .phase(.syncing), .note("A note."),
            .detail("A detail."),
        ]
        for event in events where !messages(verbosity).shows(event) {
            var silent = messages(verbosity)
            #expect(silent.line(for: event) == "")
            #expect(verbosity == .quiet || silent.label == "")
        }
        #expect(events.contains { messages(verbosity).shows($0) } == (verbosity != .quiet))
    }

    @Test func `nothing comes after the line that says how to go on`() throws {
        let world = TestConsole()
        let display = try world.display()
        display.begin(entry)
        display.attach(running(), to: 1)
        display.stop(by: SIGINT)
        display.stop(by: SIGINT)
        display.handle(.note("Late."), of: 1)
        display.flush()
        #expect(try world.error.text() == "Stopped at 43 %; run the same command to go on.\n")
    }

    @Test func `a reader that is gone ends the printing and nothing else`() throws {
        signal(SIGPIPE, SIG_IGN)
        let world = TestConsole()
        try world.output.closeReader()
        let display = try world.display(["--progress=json"])
        display.begin(entry)
        for _ in 0..<10 { display.handle(.note("A note."), of: 1) }
        display.fail(Failure(DownloadError(.server, "No.")), of: 1)
        display.flush()
        #expect(try world.error.text() == "segdl: No.\n")
    }

    @Test func `a reader that does not read holds up nobody but the display`() throws {
        signal(SIGPIPE, SIG_IGN)
        let world = TestConsole()
        let display = try world.display(["--progress=json"])
        display.begin(entry)
        // More than a pipe holds (64 KiB).
        for _ in 0..<100 { display.handle(.note(String(repeating: "x", count: 4096)), of: 1) }
        display.flush(waitingAtMost: .milliseconds(1))
        try world.output.closeReader()
        display.flush()
    }

    @Test func `events of a reader that does not read are left out before they fill the memory, and no end is`() throws
    {
        signal(SIGPIPE, SIG_IGN)
        let world = TestConsole()
        let display = Display(
            try CommandLineParser.parse(["--progress=json", "http://a/", "http://b/"]),
            world.console
        )
        for number in 1...2 { display.begin(Entry(number: number, isOneOfSeveral: true, url: "")) }
        // More than a pipe holds (64 KiB), and more than may wait.
        for _ in 0..<100 { display.handle(.note(String(repeating: "x", count: 4096)), of: 1) }
        for _ in 0..<20_000 { display.handle(connection(1, .opened, ""), of: 1) }
        display.finish(report(), of: 2)
        display.summarise()
        let text = try world.output.textWhileWritten { display.flush() }
        let events = text.split(separator: "\n")
        #expect(events.count { $0.contains("\"event\":\"note\"") } == 100)
        // 4,096 wait at most, while as many that waited before are being written.
        #expect((1...8192).contains(events.count { $0.contains("\"event\":\"connection\"") }))
        #expect(events.count { $0.contains("\"event\":\"finish\"") } == 1)
        #expect(events.last?.contains("\"event\":\"summary\"") == true)
    }
}
