import SegdlCommand
import SegmentedDownload
import Testing

struct BarTests {
    private static let plainStyle = BarText.Style(isUnicode: true, isColored: false)

    private static func meter() -> RateMeter {
        var meter = RateMeter()
        meter.add(byteCount: 0, at: .zero)
        meter.add(byteCount: 100 << 20, at: .seconds(1))
        return meter
    }

    private static func frame(_ snapshot: Snapshot, name: String = "disk.iso") -> String {
        BarText.frame(name: name, snapshot, meter(), plainStyle)
    }

    @Test func `a frame has name, map, percent, rate, bytes, time left and connections`() {
        let expected =
            "disk.iso  [█████      ]   43 %  100.0 MiB/s  430.0/1000.0 MiB  eta 0:06  8 conn"
        #expect(Self.frame(snapshot(progress(), width: 80)) == expected)
    }

    @Test(arguments: 0...200)
    func `a frame fits every width`(_ width: Int) {
        for phase in [DownloadProgress.Phase.probing, .comparing, .transferring, .syncing, .ended] {
            for name in ["disk.iso", "漢字漢字漢字漢字漢字漢字漢字漢字", ""] {
                for length in [1000 << 20, nil] as [Int64?] {
                    let frame = Self.frame(snapshot(progress(phase, length: length), width: width), name: name)
                    #expect(Terminal.width(of: frame) < max(width, 1))
                }
            }
        }
    }

    @Test(arguments: [
        (60, ["43 %", "MiB/s", "430.0/1000.0 MiB", "eta"]), (30, ["43 %", "MiB/s"]), (12, ["43 %"]), (4, []),
    ])
    func `a narrow frame keeps what matters most`(_ width: Int, _ parts: [String]) {
        let frame = Self.frame(snapshot(progress(), width: width))
        for part in ["43 %", "MiB/s", "430.0/1000.0 MiB", "eta"] {
            #expect(frame.contains(part) == parts.contains(part), "\(frame)")
        }
    }

    @Test func `the map stands in every frame of 80 columns`() {
        #expect(Self.frame(snapshot(progress())).contains("[█"))
    }

    @Test func `phases at the end are named`() {
        #expect(Self.frame(snapshot(progress(.syncing, held: 1000 << 20))).contains("100 %  syncing"))
        #expect(Self.frame(snapshot(progress(.comparing, held: 0))).contains("0 %  comparing"))
        #expect(Self.frame(snapshot(nil)).contains("asking the server"))
    }

    @Test func `hashing shows how much is hashed, whatever is held`() {
        for held: Int64 in [0, 1000 << 20] {
            var progress = progress(.verifying, held: held)
            progress.hashedByteCount = 430 << 20
            #expect(Self.frame(snapshot(progress)).contains("43 %  verifying"))
        }
    }

    @Test func `an unknown length shows bytes and no percent`() {
        let frame = Self.frame(snapshot(progress(length: nil)))
        #expect(frame.contains("430.0 MiB") && !frame.contains("%") && !frame.contains("eta"))
    }

    @Test func `colours come only where they may`() {
        let colored = BarText.Style(isUnicode: true, isColored: true)
        #expect(BarText.frame(name: "x", snapshot(progress()), Self.meter(), colored).contains("\u{1B}[36m"))
        #expect(!Self.frame(snapshot(progress())).contains("\u{1B}"))
    }

    @Test func `a message goes above the bar, and the bar ends at 100 percent`() {
        var bar = BarPresenter(messages(), style: Self.plainStyle)
        #expect(bar.begin(entry, snapshot(nil)) == "")
        #expect(bar.handle(start(), snapshot(progress(held: 0), at: 0)) == "")
        let drawn = bar.tick(snapshot(progress()))
        #expect(drawn.hasPrefix("\r\u{1B}[Kdisk.iso") && !drawn.contains("\n"))
        let note = bar.handle(.note("The server has no ranges."), snapshot(progress()))
        #expect(note == "\r\u{1B}[Kdisk.iso: The server has no ranges.\n" + drawn.dropFirst(4))
        let end = bar.finish(report(), snapshot(progress(.ended, held: 1000 << 20)))
        #expect(end.contains("100 %"))
        #expect(
            end.hasSuffix("\r\u{1B}[Kdisk.iso: 1.0 GiB in 0.9 s (1.1 GiB/s), verified by strong ETag\n")
        )
    }

    @Test func `a download that ends before the first frame draws none`() {
        var bar = BarPresenter(messages(), style: Self.plainStyle)
        _ = bar.begin(entry, snapshot(nil))
        #expect(!bar.finish(report(), snapshot(progress(.ended))).contains("\u{1B}"))
    }

    @Test func `nothing is drawn from the background`() {
        var bar = BarPresenter(messages(), style: Self.plainStyle)
        #expect(bar.tick(snapshot(progress(), isDrawable: false)) == "")
    }

    @Test func `an error clears the bar`() {
        var bar = BarPresenter(messages(), style: Self.plainStyle)
        _ = bar.begin(entry, snapshot(nil))
        _ = bar.tick(snapshot(progress()))
        let failure = Failure(DownloadError(.network, "The connection was reset."))
        #expect(bar.fail(failure, snapshot(progress())) == "\r\u{1B}[Ksegdl: The connection was reset.\n")
    }
}
