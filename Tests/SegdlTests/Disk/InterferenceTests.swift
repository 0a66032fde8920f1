import Foundation
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

/// What others do to the files meanwhile: status 3 with a sentence, and never a wrong byte at NAME.
@Suite struct InterferenceTests {
    private let content = PatternContent(seed: 421, length: 8 * MiB)
    private static let options = ["-s", "64K", "-j", "4", "--stall-timeout", "600"]

    /// What a disturbed run has come to.
    private struct Outcome {
        let segdl: SegdlBinary
        let result: ChildProcess.Result
        let server: FaultServer
        let arguments: [String]

        func rerun() throws -> ChildProcess.Result { try segdl.run(arguments) }
    }

    /// Runs a download that is half done, all of it recorded, when `change` is called.
    ///
    /// - Parameters:
    ///   - subfolder: Where the file goes, below the program's folder.
    ///   - pace: What each connection gets a second after that, in bytes; `nil` for all that there is.
    ///   - signal: What the program is sent after that.
    ///   - change: The disturbance.
    private func halfway(
        in subfolder: String? = nil,
        pace: Int64? = nil,
        signal: Int32? = nil,
        _ change: (SegdlBinary) throws -> Void
    ) throws -> Outcome {
        let server = try FaultServer(["/file": Route(content).on(.ranged) { $0.stallAfter = 1 * MiB }])
        let segdl = try SegdlBinary()
        let arguments = Self.options + (subfolder.map { ["-d", $0] } ?? []) + [server.url("/file")]
        let child = try segdl.start(arguments)
        try server.waitUntil { $0.stalledCount == 4 }
        try segdl.waitForJournal(of: subfolder.map { "\($0)/file" } ?? "file", finishedByteCount: 3 * MiB)
        try change(segdl)
        if let signal { child.kill(signal) }
        if let pace {
            // What waits stays so: only requests from now on are answered, slowly.
            server.setRoute("/file", Route(content) { $0.bytesPerSecond = pace })
            server.closeConnections()
        } else {
            server.setRoute("/file", Route(content))
            try server.release()
        }
        let result = try child.wait()
        server.setRoute("/file", Route(content))
        return Outcome(segdl: segdl, result: result, server: server, arguments: arguments)
    }

    private static let cuts = [
        "truncate -s 0 file.segdl.part", "truncate -s 3M file.segdl.part",
        "fallocate -p -o 0 -l 64K file.segdl.part", "truncate -s 9M file.segdl.part; truncate -s 1M file.segdl.part",
    ]

    @Test(
        "A part file that another program cuts, or punches holes into, is noticed before NAME; a rerun fetches it anew",
        arguments: cuts
    )
    func cut(command: String) throws {
        let outcome = try halfway { segdl in
            let done = try ChildProcess.run("/bin/sh", ["-c", command], directory: segdl.folder.path)
            #expect(done.end == .exit(0), "\(done.standardError)")
        }
        #expect(outcome.result.end == .exit(3), "\(outcome.result.standardError)")
        let sentence = "by another program while it was being written: nothing in it can be trusted"
        #expect(outcome.result.standardError.contains(sentence))
        #expect(try outcome.segdl.folder.names().isEmpty)
        try expectRerun(outcome)
    }

    @Test("A cut part file ends the run soon, not only at its end")
    func cutSoon() throws {
        let outcome = try halfway(pace: 100_000) { segdl in
            #expect(truncate(segdl.folder.path("file.segdl.part"), 1000) == 0)
        }
        #expect(outcome.result.end == .exit(3))
        #expect(outcome.result.standardError.contains("was made shorter by another program"))
        #expect(outcome.server.log.bytesSent < content.length)
        try expectRerun(outcome)
    }

    @Test(
        "A part file that is cut while segdl does not run is begun anew, and a note says so",
        arguments: ["0", "3M", "9M"]
    )
    func cutBetween(size: String) throws {
        let outcome = try halfway(signal: SIGKILL) { _ in }
        let part = outcome.segdl.folder.path("file.segdl.part")
        #expect(try ChildProcess.run("truncate", ["-s", size, part]).end == .exit(0))
        let note = try expectRerun(outcome).standardError
        #expect(note.contains("belongs to a part file of another size. Starting again from the beginning."))
    }

    @Test(
        "A part file that is removed, or replaced, ends the run long before its end; the other file is untouched",
        arguments: [false, true]
    )
    func removed(isReplaced: Bool) throws {
        let outcome = try halfway(pace: 100_000) { segdl in
            try FileManager.default.removeItem(atPath: segdl.folder.path("file.segdl.part"))
            if isReplaced { try segdl.folder.write("mine", to: "file.segdl.part") }
        }
        #expect(outcome.result.end == .exit(3))
        #expect(outcome.result.standardError.contains("was renamed or removed by another program"))
        #expect(outcome.server.log.bytesSent < content.length)
        #expect(try !outcome.segdl.folder.names().contains("file"))
        if isReplaced { #expect(try text(outcome, "file.segdl.part") == "mine") }
        try expectRerun(outcome)
    }

    @Test("A part file that is moved away takes its bytes along; what another segdl has begun since is not removed")
    func moved() throws {
        for signal in [nil, SIGINT] {
            let outcome = try halfway(signal: signal) { segdl in
                let fileManager = FileManager.default
                try fileManager.moveItem(
                    atPath: segdl.folder.path("file.segdl.part"),
                    toPath: segdl.folder.path("kept")
                )
                try fileManager.removeItem(atPath: segdl.folder.path("file.segdl.journal"))
                try segdl.folder.write("another's", to: "file.segdl.part")
                try segdl.folder.write("another's journal", to: "file.segdl.journal")
            }
            if let signal {
                #expect(outcome.result.end == .signal(signal))
            } else {
                #expect(outcome.result.end == .exit(3))
                #expect(outcome.result.standardError.contains("was renamed or removed by another program"))
            }
            #expect(try text(outcome, "file.segdl.part") == "another's")
            #expect(try text(outcome, "file.segdl.journal") == "another's journal")
            try expectRerun(outcome, beside: ["kept"])
        }
    }

    @Test("A folder that is removed with all in it ends the run with 3; one that is renamed takes the file along")
    func folder() throws {
        let removed = try halfway(in: "there") { segdl in
            try FileManager.default.removeItem(atPath: segdl.folder.path("there"))
        }
        #expect(removed.result.end == .exit(3))
        #expect(removed.result.standardError.contains("was renamed or removed by another program"))
        #expect(try removed.rerun().end == .exit(0))
        #expect(try content.matches(fileAt: removed.segdl.folder.path("there/file")))

        let renamed = try halfway(in: "there") { segdl in
            try FileManager.default.moveItem(atPath: segdl.folder.path("there"), toPath: segdl.folder.path("elsewhere"))
        }
        #expect(renamed.result.end == .exit(0))
        #expect(try content.matches(fileAt: renamed.segdl.folder.path("elsewhere/file")))
    }

    private func text(_ outcome: Outcome, _ name: String) throws -> String {
        try String(contentsOfFile: outcome.segdl.folder.path(name), encoding: .utf8)
    }

    @discardableResult
    private func expectRerun(_ outcome: Outcome, beside others: [String] = []) throws -> ChildProcess.Result {
        let result = try outcome.rerun()
        #expect(result.end == .exit(0), "\(result.standardError)")
        #expect(try content.difference(fromFileAt: outcome.segdl.folder.path("file")) == nil)
        #expect(try outcome.segdl.folder.names() == ["file"] + others)
        return result
    }
}
