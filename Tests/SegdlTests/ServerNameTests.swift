import Foundation
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

/// A file whose name the server chooses, over several runs of the real program.
@Suite struct ServerNameTests {
    private let content = PatternContent(seed: 62, length: 4 * MiB)

    private func named(_ change: @escaping @Sendable (inout Behaviour) -> Void = { _ in }) -> Route {
        Route(content) {
            $0.contentDisposition = "attachment; filename*=UTF-8''na%C3%AFve.zip"
            change(&$0)
        }
    }

    @Test("A rerun finds the part file under the server's name, resumes it, and makes no second file")
    func resumes() throws {
        try FaultServer.run(["/get": named().on(.ranged) { $0.stallAfter = 2 * MiB }]) { server in
            let segdl = try SegdlBinary()
            let arguments = ["-q", "-s", "64K", "-j", "1", server.url("/get?id=1")]
            let child = try segdl.start(["--stall-timeout", "600"] + arguments)
            try segdl.waitForJournal(of: "naïve.zip", finishedByteCount: 1 * MiB)
            child.kill(SIGKILL)
            try child.wait()
            #expect(try segdl.folder.names().sorted() == ["naïve.zip.segdl.journal", "naïve.zip.segdl.part"])
            let before = try server.settledLog().requests.count
            server.setRoute("/get", named())
            #expect(try segdl.run(arguments).end == .exit(0))
            #expect(try segdl.folder.names() == ["naïve.zip"])
            #expect(try content.matches(fileAt: segdl.folder.path("naïve.zip")))
            let asked = server.requests.dropFirst(before).compactMap(\.range)
            #expect(!asked.isEmpty && asked.allSatisfy { $0.lowerBound >= 1 * MiB })
        }
    }

    @Test("A finished file of the server's name is accepted by the next run")
    func finished() throws {
        try FaultServer.run(["/get": named()]) { server in
            let segdl = try SegdlBinary()
            #expect(try segdl.run([server.url("/get")]).end == .exit(0))
            let second = try segdl.run([server.url("/get")])
            #expect(second.end == .exit(0))
            #expect(second.standardError.contains("was here already"))
            #expect(try segdl.folder.names() == ["naïve.zip"])
        }
    }

    @Test(
        "A folder, a link, a FIFO or a device at the name is never replaced, with any option",
        arguments: [
            "mkdir out", "ln -s target out", "ln -s . out", "mkfifo out", "ln -s /dev/null out",
        ]
    )
    func neverReplaced(making: String) throws {
        try FaultServer.run(["/out": Route(content)]) { server in
            let options = [[], ["--overwrite"], ["--exists", "skip"], ["--overwrite", "--restart"], ["-o", "out"]]
            for options in options {
                let segdl = try SegdlBinary()
                let made = try ChildProcess.run("/bin/sh", ["-c", making], directory: segdl.folder.path)
                #expect(made.end == .exit(0))
                let result = try segdl.run(options + [server.url("/out")])
                #expect(result.end == .exit(3), "\(options): \(result.standardError)")
                #expect(result.standardError.contains("never replaced"))
                #expect(try segdl.folder.names() == ["out"])
            }
        }
    }
}
