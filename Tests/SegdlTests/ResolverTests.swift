import Foundation
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

/// A process with resolver files of its own, in a mount namespace.
private enum ResolverFiles {
    /// Why the system's files can't be covered for one process here.
    static let missing: String? = {
        guard geteuid() == 0 else { return "covering the resolver's files needs root" }
        let result = try? ChildProcess.run("unshare", ["-m", "mount", "--bind", "/etc/hosts", "/etc/hosts"])
        return result?.end == .exit(0) ? nil : "no mount namespaces: \(result?.standardError ?? "")"
    }()
}

/// The system's resolver, with files of its own (wild.md 69: aria2#2109, aria2#613).
@Suite(.enabled(if: ResolverFiles.missing == nil, "\(ResolverFiles.missing ?? "")")) struct ResolverTests {
    private let content = PatternContent(seed: 69, length: 1 * MiB)

    /// Starts the program where `hosts` in its folder is all that the resolver knows, and the name server is away for now
    /// (EAI_AGAIN).
    private func start(_ segdl: SegdlBinary, _ arguments: [String]) throws -> ChildProcess {
        try segdl.folder.write("nameserver 127.0.0.253\noptions timeout:1 attempts:1\n", to: "resolv.conf")
        try segdl.folder.write("hosts: files dns\n", to: "nsswitch.conf")
        let cover = ["hosts", "resolv.conf", "nsswitch.conf"].map { "mount --bind \($0) /etc/\($0)" }
        let command = [try Executables.product("segdl")] + arguments
        return try ChildProcess.start(
            "unshare",
            ["-m", "sh", "-c", cover.joined(separator: " && ") + " && exec \"$@\"", "sh"] + command,
            environment: ["http_proxy": nil, "all_proxy": nil, "ALL_PROXY": nil],
            directory: segdl.folder.path
        )
    }

    @Test("A resolver that can't answer for now is asked again, and the system's own files count")
    func isAskedAgain() throws {
        try FaultServer.run(["/file": Route(content)]) { server in
            let segdl = try SegdlBinary()
            try segdl.folder.write("127.0.0.1 localhost\n", to: "hosts")
            let url = "http://sometimes.test:\(server.port)/file"
            let child = try start(segdl, ["--retry-wait", "2", url])
            try child.waitForOutput { $0.contains("trying again") }
            // Into the same file, which covers the system's.
            let hosts = try #require(FileHandle(forWritingAtPath: segdl.folder.path("hosts")))
            try hosts.seekToEnd()
            try hosts.write(contentsOf: Data("127.0.0.1 sometimes.test\n".utf8))
            try hosts.close()
            let result = try child.wait()
            #expect(result.end == .exit(0), "\(result.standardError)")
            #expect(try content.matches(fileAt: segdl.folder.path("file")))
        }
    }

    @Test("A resolver that never answers ends with 4 after three times, and the host is named")
    func neverAnswers() throws {
        let segdl = try SegdlBinary()
        try segdl.folder.write("127.0.0.1 localhost\n", to: "hosts")
        let result = try start(segdl, ["--retry-wait", "0.02", "http://never.test/file"]).wait()
        #expect(result.end == .exit(4), "\(result.standardError)")
        #expect(result.standardError.contains("never.test"))
        #expect(result.standardError.contains("Tried 3 times."), "\(result.standardError)")
    }
}
