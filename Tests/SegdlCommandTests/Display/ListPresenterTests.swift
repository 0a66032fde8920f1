import Foundation
import SegdlCommand
import SegmentedDownload
import Testing

/// What presenters make of several entries at once.
struct ListPresenterTests {
    private static func entry(_ number: Int) -> Entry {
        Entry(number: number, isOneOfSeveral: true, url: "https://a/\(number)")
    }

    private static func tally(total: Int? = 1000, downloaded: Int = 9, existing: Int = 3, failed: Int = 2) -> RunTally {
        var tally = RunTally()
        tally.totalCount = total
        for _ in 0..<downloaded { tally.add(report()) }
        for _ in 0..<existing {
            var accepted = report(.samples, outcome: .existing)
            accepted.receivedByteCount = 0
            tally.add(accepted)
        }
        for _ in 0..<failed { tally.addFailure(receivedByteCount: 512) }
        return tally
    }

    private static let open = [
        OpenEntry(number: 13, progress: progress(), elapsed: .seconds(1)),
        OpenEntry(number: 14, progress: nil, elapsed: .zero),
        OpenEntry(number: 15, progress: progress(length: nil), elapsed: .seconds(1)),
    ]

    private static func begun<P: Presenter>(_ presenter: P) -> P {
        var presenter = presenter
        for number in 13...15 { _ = presenter.begin(entry(number), snapshot(nil, number: number)) }
        _ = presenter.handle(start("./dir/disk.iso"), snapshot(progress(held: 0), at: 0, number: 13))
        return presenter
    }

    private static let style = BarText.Style(isUnicode: true, isColored: false)

    @Test func `plain has one line about all every few seconds, and only where something moved`() {
        var plain = Self.begun(PlainListPresenter(messages()))
        let first = plain.tick(snapshot(nil, at: 5, number: 0, tally: Self.tally(), open: Self.open))
        #expect(first == "14/1000 files, 9.8 GiB, 2 failed, 16 conn, at disk.iso 43 %, 14, 15\n")
        #expect(plain.tick(snapshot(nil, at: 10, number: 0, tally: Self.tally(), open: Self.open)) == "")
        let later = plain.tick(snapshot(nil, at: 15, number: 0, tally: Self.tally(downloaded: 10), open: []))
        #expect(later.hasPrefix("15/1000 files, 10.0 GiB, ") && later.hasSuffix(" MiB/s, 2 failed, 0 conn\n"))
        let silent = (4...9).map {
            plain.tick(snapshot(nil, at: Double($0) * 5, number: 0, tally: Self.tally(downloaded: 10), open: []))
        }
        #expect(silent.filter { !$0.isEmpty }.count == 1)
    }

    @Test func `plain lines begin with what is to come`() {
        let counts: [Int?: String] = [3: "fetching 3 files\n", nil: "fetching the files of a list\n"]
        for (total, line) in counts {
            var plain = PlainListPresenter(messages())
            #expect(plain.begin(Self.entry(1), snapshot(nil, tally: Self.tally(total: total))) == line)
            #expect(plain.begin(Self.entry(2), snapshot(nil, tally: Self.tally(total: total))) == "")
        }
        var quiet = PlainListPresenter(messages(.quiet))
        #expect(quiet.begin(Self.entry(1), snapshot(nil, tally: Self.tally())) == "")
    }

    @Test func `each entry's lines bear its own name`() {
        var plain = Self.begun(PlainListPresenter(messages()))
        #expect(plain.handle(.note("A note."), snapshot(nil, number: 13)) == "dir/disk.iso: A note.\n")
        #expect(plain.handle(.note("A note."), snapshot(nil, number: 14)) == "https://a/14: A note.\n")
        let failure = Failure(DownloadError(.server, "The server said 404."))
        #expect(plain.fail(failure, snapshot(nil, number: 14)) == "segdl: https://a/14: The server said 404.\n")
        #expect(plain.finish(report(path: "x"), snapshot(nil, number: 15)).hasPrefix("x: 1.0 GiB in 0.9 s"))
        #expect(plain.handle(start("late", resumed: 1), snapshot(nil, number: 13)).hasPrefix("late: 1 B of"))
    }

    @Test func `the summary counts what was fetched, what failed, and what was there`() {
        var presenters: [any Presenter] = [
            PlainListPresenter(messages()), BarListPresenter(messages()), SilentPresenter(messages()),
        ]
        for index in presenters.indices {
            let line = presenters[index].summarise(snapshot(nil, at: 9, number: 0, tally: Self.tally(), open: []))
            #expect(line == "9 files, 9.0 GiB in 9.0 s (1.0 GiB/s), failed: 2, here already: 3\n")
        }
        var quiet = SilentPresenter(messages(.quiet))
        #expect(quiet.summarise(snapshot(nil, tally: Self.tally())) == "")
        #expect(RunText.summary(Self.tally(downloaded: 1, existing: 0, failed: 0), .seconds(1)).hasPrefix("1 file, "))
    }

    @Test func `the bar is one line about all, and what ended goes above it`() {
        var bar = Self.begun(BarListPresenter(messages()))
        let frame = bar.tick(snapshot(nil, number: 0, tally: Self.tally(), open: Self.open))
        #expect(frame == "\r\u{1B}[K14/1000 files  9.8 GiB  2 failed  16 conn  disk.iso 43 %  14  15")
        let end = bar.finish(report(path: "x"), snapshot(nil, number: 15))
        #expect(end.hasPrefix("\r\u{1B}[Kx: 1.0 GiB in") && end.hasSuffix("\n" + frame.dropFirst(4)))
        #expect(bar.tick(snapshot(nil, isDrawable: false)) == "")
        #expect(bar.summarise(snapshot(nil, tally: Self.tally())).hasPrefix("\r\u{1B}[K9 files, "))
        #expect(bar.fail(Failure(DownloadError(.server, "No.")), snapshot(nil, number: 9)) == "segdl: No.\n")
    }

    @Test(arguments: 0...200)
    func `the bar fits every width`(_ width: Int) {
        let state = ListText.State(snapshot(nil, number: 0, tally: Self.tally(total: nil), open: Self.open))
        for names in [["disk.iso 43 %", "漢字漢字漢字漢字", "x"], []] {
            let frame = ListText.frame(state, RateMeter(), names, width: width)
            #expect(Terminal.width(of: frame) < max(width, 1))
            #expect(width < 9 || frame.hasPrefix("14 files"))
        }
    }

    @Test func `JSON tells each entry's progress under its number`() throws {
        var json = Self.begun(JSONPresenter())
        let later = [
            OpenEntry(number: 13, progress: progress(held: 200 << 20), elapsed: .seconds(2)), Self.open[1],
            OpenEntry(number: 15, progress: progress(length: nil), elapsed: .seconds(1)),
        ]
        let events = try Self.objects(json.tick(snapshot(nil, number: 0, open: later)))
        #expect(events.map { $0["file"] as? Int } == [13, 15])
        #expect(events.allSatisfy { $0["event"] as? String == "progress" })
        // 200 MiB in 2 s, and no second sample of the other.
        #expect(events.map { $0["rate"] as? Double } == [Double(100 << 20), 0])
        let error = try Self.objects(json.fail(Failure(DownloadError(.server, "No.")), snapshot(nil, number: 14)))
        #expect(error.map { $0["file"] as? Int } == [14])
    }

    @Test func `JSON ends each open entry when a signal comes, and sums up`() throws {
        var json = Self.begun(JSONPresenter())
        let failure = Failure(error: DownloadError(.cancelled, "Stopped."), status: 143)
        let events = try Self.objects(json.stop(failure, snapshot(nil, tally: Self.tally(), open: Self.open)))
        #expect(events.map { $0["event"] as? String } == ["error", "error", "error", "summary"])
        #expect(events.map { $0["file"] as? Int } == [13, 14, 15, 0])
        #expect(events.last?["downloaded"] as? Int == 9 && events.last?["existing"] as? Int == 3)
        #expect(events.last?["failed"] as? Int == 2 && events.last?["files"] as? Int == 1000)
    }

    private static func objects(_ text: String) throws -> [[String: Any]] {
        try text.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    @Test func `nothing from the server is printed raw`() {
        let evil = "evil\u{1B}]0;x\u{7}\n"
        var presenters: [any Presenter] = [
            PlainListPresenter(messages(.verbose)), BarListPresenter(messages(.verbose)),
        ]
        for index in presenters.indices {
            _ = presenters[index].begin(Self.entry(1), snapshot(nil))
            let lines = [
                presenters[index].handle(start(evil), snapshot(nil)),
                presenters[index].handle(.note(evil), snapshot(nil)),
                presenters[index].tick(snapshot(progress())),
                presenters[index].finish(report(path: evil), snapshot(nil)),
            ]
            let text = lines.joined().replacing("\r\u{1B}[K", with: "").replacing("\n", with: "")
            #expect(text.contains("evil?]0;x??"))
            #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 })
        }
    }
}
