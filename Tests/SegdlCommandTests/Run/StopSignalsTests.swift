import Foundation
import SegdlCommand
import SegmentedDownload
import Testing

/// Each test runs in a process of its own, since it ends by a signal. That signals reach the real program is tested
/// with the real program.
struct StopSignalsTests {
    @Test(arguments: [SIGHUP, SIGINT, SIGTERM])
    func `a signal cancels the download, says how to go on, and ends the process`(_ signal: Int32) async throws {
        let exit = try await #require(
            processExitsWith: .signal(signal),
            observing: [\.standardErrorContent]
        ) { [signal] in
            StopSignalsTests.runEndless(["http://a/1"], signal: signal)
        }
        let text = String(decoding: exit.standardErrorContent, as: UTF8.self)
        #expect(text.hasSuffix("Stopped at 43 %; run the same command to go on.\n"))
        #expect(text.components(separatedBy: "Stopped").count == 2)
    }

    @Test func `a signal in a run of several URLs says how many are complete, and begins no other`() async throws {
        let exit = try await #require(processExitsWith: .signal(SIGINT), observing: [\.standardErrorContent]) {
            StopSignalsTests.runEndless(["http://a/1", "http://a/2"], signal: SIGINT)
        }
        let text = String(decoding: exit.standardErrorContent, as: UTF8.self)
        #expect(text == "Stopped: 0 of 2 files are complete; run the same command to go on.\n")
    }

    /// What ``SegdlCommand`` does, with downloads that never end by themselves; the signal comes once one has begun.
    fileprivate static func runEndless(_ urls: [String], signal: Int32) {
        guard let options = try? CommandLineParser.parse(["--progress=none"] + urls) else { return }
        let display = Display(options, .ofProcess())
        // However slow the machine: the orderly end is what ends it.
        let signals = StopSignals([], patience: .seconds(600)) { _ in }
        let fake = FakeSession { _, index in
            // The second URL is never begun.
            guard index == 0 else { exit(99) }
            signals.received(signal)
        }
        _ = CommandRun(options, session: fake.session, display: display, signals: signals)
            .fetchAll(EntrySource(urls: options.urls, lists: []))
        display.flush()
        SignalMask.die(of: signals.signal ?? 0)
    }

    @Test func `a download that does not end is left behind`() async {
        await #expect(processExitsWith: .signal(SIGTERM)) {
            let signals = StopSignals([]) { _ in }
            signals.attach { while true { pause() } }
            signals.received(SIGTERM)
            while true { pause() }
        }
    }

    @Test func `a second SIGINT ends the process at once`() async {
        await #expect(processExitsWith: .signal(SIGINT)) {
            // Reached only by the deadline, which must not be what ends the process.
            let signals = StopSignals([], patience: .seconds(60)) { _ in exit(99) }
            signals.attach {
                signals.received(SIGINT)
                while true { pause() }
            }
            signals.received(SIGTERM)
            while true { pause() }
        }
    }

    @Test func `what was ignored at the start stays ignored`() async {
        await #expect(processExitsWith: .exitCode(42)) {
            signal(SIGHUP, SIG_IGN)
            let signals = StopSignals { _ in }
            kill(getpid(), SIGHUP)
            // Delivered before kill(2) returns, since it is not blocked: nothing may have come of it.
            exit(signals.signal == nil && SignalMask.isIgnored(SIGHUP) ? 42 : 1)
        }
    }
}
