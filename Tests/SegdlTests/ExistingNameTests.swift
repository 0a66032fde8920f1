import Foundation
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

/// The options for a name that is taken, from the command line to the folder.
@Suite struct ExistingNameTests {
    private let content = PatternContent(seed: 79, length: 4 * MiB)
    private let old = PatternContent(seed: 80, length: 4 * MiB)

    @Test("The same file is accepted, and no more than sample blocks are fetched")
    func same() throws {
        try FaultServer.run(["/file": Route(content)]) { server in
            let segdl = try SegdlBinary()
            try content.write(toFileAt: segdl.folder.path("file"))
            let result = try segdl.run([server.url("/file")])
            #expect(result.end == .exit(0))
            #expect(result.standardError.contains("was here already"))
            #expect(try server.settledLog().bytesSent <= 4 * 16 * KiB)
            #expect(try segdl.folder.names() == ["file"])
        }
    }

    @Test("Another file is refused with the choices, and untouched")
    func different() throws {
        try FaultServer.run(["/file": Route(content)]) { server in
            let segdl = try SegdlBinary()
            try old.write(toFileAt: segdl.folder.path("file"))
            let result = try segdl.run([server.url("/file")])
            #expect(result.end == .exit(3))
            for choice in ["--overwrite", "--exists", "-o"] { #expect(result.standardError.contains(choice)) }
            #expect(try old.matches(fileAt: segdl.folder.path("file")))
            #expect(try segdl.folder.names() == ["file"])
        }
    }

    @Test("skip leaves another file and succeeds; rename fetches beside it")
    func skipAndRename() throws {
        try FaultServer.run(["/file": Route(content)]) { server in
            let segdl = try SegdlBinary()
            try old.write(toFileAt: segdl.folder.path("file"))
            #expect(try segdl.run(["--exists", "skip", server.url("/file")]).end == .exit(0))
            #expect(try segdl.folder.names() == ["file"])
            #expect(try segdl.run(["--exists", "rename", server.url("/file")]).end == .exit(0))
            #expect(try segdl.folder.names() == ["file", "file.1"])
            #expect(try old.matches(fileAt: segdl.folder.path("file")))
            #expect(try content.matches(fileAt: segdl.folder.path("file.1")))
        }
    }

    @Test("--overwrite keeps the old file until the new one is complete")
    func overwrite() throws {
        try FaultServer.run(["/file": Route(content) { $0.stallAfter = 100_000 }]) { server in
            let segdl = try SegdlBinary()
            try old.write(toFileAt: segdl.folder.path("file"))
            let child = try segdl.start(["-q", "--overwrite", "--stall-timeout", "600", server.url("/file")])
            try server.waitUntil { $0.stalledCount > 0 }
            #expect(try old.matches(fileAt: segdl.folder.path("file")))
            server.setRoute("/file", Route(content))
            try server.release()
            #expect(try child.wait().end == .exit(0))
            #expect(try content.matches(fileAt: segdl.folder.path("file")))
            #expect(try segdl.folder.names() == ["file"])
        }
    }

    @Test("--restart fetches everything anew, also what the journal has")
    func restart() throws {
        try FaultServer.run(["/file": Route(content).on(.ranged) { $0.stallAfter = 2 * MiB }]) { server in
            let segdl = try SegdlBinary()
            let options = ["-q", "-s", "64K", "-j", "1"]
            let child = try segdl.start(options + ["--stall-timeout", "600", server.url("/file")])
            try segdl.waitForJournal(of: "file", finishedByteCount: 1 * MiB)
            child.kill(SIGKILL)
            try child.wait()
            let before = try server.settledLog().bytesSent
            server.setRoute("/file", Route(content))
            #expect(try segdl.run(options + ["--restart", server.url("/file")]).end == .exit(0))
            #expect(try server.settledLog().bytesSent - before >= content.length)
            #expect(try content.matches(fileAt: segdl.folder.path("file")))
        }
    }
}
