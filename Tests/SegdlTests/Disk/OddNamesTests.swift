import Foundation
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

/// What is no plain file, where segdl's own files belong; and folders that it may not write to.
@Suite struct OddNamesTests {
    private let content = PatternContent(seed: 431, length: 1 * MiB)

    private static let kinds =
        [
            ("mkfifo NAME", "a device, FIFO or socket"), ("mkdir NAME", "a folder"),
            ("ln -s target NAME", "a symbolic link"),
            ("ln -s . NAME", "a symbolic link"),
        ] + (geteuid() == 0 ? [("mknod NAME c 1 3", "a device, FIFO or socket")] : [])
    private static let names = ["file", "file.segdl.part", "file.segdl.journal", "file.segdl.jnew"]

    @Test(
        "A FIFO, device, folder or link at one of its names is left as it is: 3, its name, and no byte fetched",
        arguments: names,
        kinds
    )
    func odd(name: String, kind: (command: String, phrase: String)) throws {
        try FaultServer.run(["/file": Route(content)]) { server in
            for options in [[], ["--overwrite"], ["--restart"], ["--no-sync"]] {
                let segdl = try SegdlBinary()
                try segdl.folder.write("precious", to: "target")
                let command = kind.command.replacingOccurrences(of: "NAME", with: name)
                _ = try ChildProcess.run("/bin/sh", ["-c", command], directory: segdl.folder.path)
                let before = try listing(segdl)
                let result = try segdl.run(["-s", "64K"] + options + [server.url("/file")])
                #expect(result.end == .exit(3), "\(options): \(result.standardError)")
                #expect(result.standardError.contains("'\(name)' is \(kind.phrase), w"), "\(result.standardError)")
                #expect(result.standardError.contains("choose another name with -o"))
                #expect(try listing(segdl) == before)
                #expect(try String(contentsOfFile: segdl.folder.path("target"), encoding: .utf8) == "precious")
            }
            #expect(server.requests.allSatisfy { $0.method == "HEAD" })
        }
    }

    private func listing(_ segdl: SegdlBinary) throws -> String {
        try ChildProcess.run("ls", ["-lAi"], directory: segdl.folder.path).standardOutput
    }

    @Test(
        "A folder that may not be written to: 3, and the way out",
        .enabled(if: geteuid() == 0, "becomes another user")
    )
    func readOnly() throws {
        try FaultServer.run(["/file": Route(content)]) { server in
            let segdl = try SegdlBinary()
            chmod(segdl.folder.path, 0o755)
            let nobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
            let result = try segdl.start(behind: nobody, [server.url("/file")]).wait()
            #expect(result.end == .exit(3), "\(result.standardError)")
            #expect(result.standardError.contains("choose a folder that you may write to (-d, or dir= in a list)"))
            #expect(try segdl.folder.names().isEmpty)
            #expect(server.requests.isEmpty)
        }
    }
}
