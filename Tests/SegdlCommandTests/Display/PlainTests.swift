import SegdlCommand
import SegmentedDownload
import Testing

struct PlainTests {
    @Test func `there is a line at the start, one for each move, and one at the end`() {
        var plain = PlainPresenter(messages())
        #expect(plain.begin(entry, snapshot(nil)) == "")
        #expect(
            plain.handle(start(), snapshot(progress(held: 0), at: 0))
                == "disk.iso: 1000.0 MiB from https://example.org/disk.iso\n"
        )
        #expect(
            plain.tick(snapshot(progress(), at: 5))
                == "disk.iso: 43 %, 430.0 MiB of 1000.0 MiB, 86.0 MiB/s, 0:07 left, 8 connections\n"
        )
        #expect(plain.tick(snapshot(progress(), at: 10)) == "")
        #expect(
            plain.tick(snapshot(progress(.syncing, held: 1000 << 20), at: 15))
                == "disk.iso: 100 %, 1000.0 MiB of 1000.0 MiB, syncing\n"
        )
        #expect(
            plain.finish(report(), snapshot(progress(.ended)))
                == "disk.iso: 1.0 GiB in 0.9 s (1.1 GiB/s), verified by strong ETag\n"
        )
    }

    @Test func `hashing moves, too`() {
        var plain = PlainPresenter(messages())
        _ = plain.begin(entry, snapshot(nil))
        _ = plain.handle(start(), snapshot(nil))
        var progress = progress(.verifying, held: 1000 << 20)
        let lines = [100, 200].map { megabytes in
            progress.hashedByteCount = Int64(megabytes) << 20
            return plain.tick(snapshot(progress))
        }
        #expect(lines == ["10", "20"].map { "disk.iso: \($0) %, \($0)0.0 MiB of 1000.0 MiB, verifying\n" })
    }

    @Test func `a download that stands still says so now and then`() {
        var plain = PlainPresenter(messages())
        _ = plain.begin(entry, snapshot(nil))
        _ = plain.handle(start(), snapshot(progress(held: 0), at: 0))
        let lines = (1...12).map { plain.tick(snapshot(progress(held: 0), at: Double($0) * 5)) }
        #expect(lines.filter { !$0.isEmpty }.count == 2)
    }

    @Test func `resumed bytes are shown apart`() {
        var plain = PlainPresenter(messages())
        _ = plain.begin(entry, snapshot(nil))
        #expect(
            plain.handle(start(resumed: 430 << 20), snapshot(progress()))
                == "disk.iso: 430.0 MiB of 1000.0 MiB are here from an earlier run\n"
        )
        #expect(
            plain.finish(report(resumed: 1 << 29), snapshot(progress(.ended)))
                == "disk.iso: 1.0 GiB: 512.0 MiB from an earlier run, 512.0 MiB in 0.9 s (568.9 MiB/s), "
                + "verified by strong ETag\n"
        )
    }

    @Test func `nothing from the server is printed raw`() {
        var plain = PlainPresenter(messages(.verbose))
        _ = plain.begin(entry, snapshot(nil))
        let evil = "evil\u{1B}]0;x\u{7}\n"
        let lines = [
            plain.handle(start(evil), snapshot(progress())), plain.handle(.note(evil), snapshot(progress())),
            plain.handle(.detail(evil), snapshot(progress())),
            plain.handle(retry(1, .zero, evil), snapshot(progress())),
            plain.handle(connection(1, .failed, evil), snapshot(progress())),
            plain.fail(Failure(DownloadError(.server, evil, underlying: evil, url: evil)), snapshot(progress())),
            plain.finish(report(path: evil), snapshot(progress())), plain.tick(snapshot(progress())),
        ]
        for line in lines {
            #expect(line.hasSuffix("\n") && line.dropLast().unicodeScalars.allSatisfy { $0.value >= 0x20 }, "\(line)")
        }
    }

    @Test(arguments: [
        (DownloadReport.Verification.lastModified, "verified by Last-Modified"),
        (.samples, "not verified (only length and sample blocks were compared)"),
        (.length, "not verified (only the length was compared)"), (.none, "not verified"),
    ])
    func `the line at the end says what was verified`(_ verification: DownloadReport.Verification, _ words: String) {
        #expect(FinishText.text(report(verification)) == "1.0 GiB in 0.9 s (1.1 GiB/s), \(words)")
    }

    @Test func `a file that was there never counts as verified`() {
        for verification in [DownloadReport.Verification.strongETag, .samples, .length, .none] {
            #expect(!FinishText.isVerified(report(verification, outcome: .existing)))
        }
        #expect(
            FinishText.text(report(.samples, outcome: .existing))
                == "was here already (1.0 GiB) and is accepted, not verified (length and sample blocks were compared)"
        )
        #expect(FinishText.text(report(.none, outcome: .existing)) == "was here already (1.0 GiB) and is left as it is")
    }

    @Test(arguments: [
        (Options.Verbosity.quiet, 0, "segdl: No room.\n"), (.normal, 2, "segdl: No room.\n"),
        (.verbose, 5, "segdl: No room.\n"),
    ])
    func `quiet prints errors only, verbose prints details`(
        _ verbosity: Options.Verbosity,
        _ expected: Int,
        _ error: String
    ) {
        var silent = SilentPresenter(messages(verbosity))
        _ = silent.begin(entry, snapshot(nil))
        let events: [DownloadEvent] = [
            .note("n"), .detail("d"), .phase(.syncing), connection(0, .opened, ""),
            retry(2, .milliseconds(500), "r"),
        ]
        #expect(events.map { silent.handle($0, snapshot(nil)) }.filter { !$0.isEmpty }.count == expected)
        #expect(silent.finish(report(), snapshot(nil)).isEmpty == (verbosity == .quiet))
        #expect(silent.fail(Failure(DownloadError(.localFile, "No room.")), snapshot(nil)) == error)
    }

    @Test func `a wait is told of where bytes came between only if it is long`() {
        var silent = SilentPresenter(messages())
        _ = silent.begin(entry, snapshot(nil))
        #expect(silent.handle(retry(0, .seconds(2.9), "r"), snapshot(nil)).isEmpty)
        #expect(silent.handle(retry(0, .seconds(3), "r"), snapshot(nil)).hasSuffix("r; trying again in 3 s\n"))
    }

    @Test func `with several URLs an error names its own`() {
        var silent = SilentPresenter(messages())
        _ = silent.begin(Entry(number: 1, isOneOfSeveral: true, url: "https://a/b"), snapshot(nil))
        let failure = Failure(DownloadError(.server, "The server said 404.", url: "https://a/b"))
        #expect(silent.fail(failure, snapshot(nil)) == "segdl: https://a/b: The server said 404.\n")
        let named = Failure(DownloadError(.server, "No https://a/b there.", url: "https://a/b"))
        #expect(silent.fail(named, snapshot(nil)) == "segdl: No https://a/b there.\n")
    }
}
