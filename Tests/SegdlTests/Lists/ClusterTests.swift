import Foundation
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

/// The commands of docs/cluster.md, taken from there.
@Suite struct ClusterTests {
    private static let docs = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "docs")

    /// The line of a page that holds a text, without what surrounds it.
    private static func line(with text: String, of page: String) throws -> String {
        let lines = try String(contentsOf: docs.appending(path: page), encoding: .utf8).split(separator: "\n")
        let line = try #require(lines.first { $0.contains(text) && ($0.hasPrefix("    ") || !page.hasSuffix(".md")) })
        return line.trimmingCharacters(in: .whitespaces)
    }

    /// Runs scripts in a folder with a list of 20 small files, and looks whether all are there.
    private static func run(_ scripts: [(text: String, environment: [String: String])]) throws {
        let content = PatternContent(seed: 95, length: 100_000)
        var routes: [String: Route] = [:]
        for number in 0..<20 { routes["/f\(number)"] = Route(content) }
        try FaultServer.run(routes) { server in
            let segdl = try SegdlBinary()
            _ = try segdl.writeList((0..<20).flatMap { ["# \($0)\r", "\(server.url("/f\($0)"))\r"] })
            _ = try segdl.writeList(
                (0..<20).flatMap { ["", server.url("/f\($0)"), "  out=g\($0)", "\r", "  header=X-Number: \($0)"] },
                to: "keys"
            )
            let path = "\(Executables.productsFolder):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
            for (text, environment) in scripts {
                let variables = environment.merging(["PATH": path]) { $1 }
                let result = try ChildProcess.run(
                    "bash",
                    ["-c", text],
                    environment: variables.mapValues { .some($0) },
                    directory: segdl.folder.path
                )
                #expect(result.end == .exit(0), "\(text): \(result.standardError)")
            }
            let usesKeys = scripts.contains { $0.text.contains("keys") }
            for number in 0..<20 {
                let name = "files/\(usesKeys ? "g" : "f")\(number)"
                #expect(try content.matches(fileAt: segdl.folder.path(name)), "\(name)")
                let requests = server.log.requests(for: "/f\(number)")
                #expect(requests.count { $0.method == "GET" } == 1)
                #expect(!usesKeys || requests.allSatisfy { $0.fields["X-Number"] == "\(number)" })
            }
        }
    }

    private static let hasSplit = Executables.installed("split") != nil && Executables.installed("bash") != nil

    @Test("Eight shares by split are the whole list", .enabled(if: hasSplit))
    func split() throws {
        let command = try Self.line(with: "split -n r/3/8", of: "cluster.md")
        try Self.run((1...8).map { (command.replacing("r/3/8", with: "r/\($0)/8"), [:]) })
    }

    @Test("Eight shares by awk are the whole list, and keep the lines of an entry together", .enabled(if: hasSplit))
    func awk() throws {
        let command = try Self.line(with: "awk", of: "cluster.md").replacing("list |", with: "keys |")
        try Self.run((1...8).map { (command.replacing("k=3", with: "k=\($0)"), [:]) })
    }

    @Test("GNU parallel", .enabled(if: Executables.installed("parallel") != nil, "parallel is not installed"))
    func parallel() throws {
        try Self.run([(try Self.line(with: "parallel --jobs 4", of: "cluster.md"), [:])])
    }

    @Test("The script of a Slurm task", .enabled(if: hasSplit))
    func slurm() throws {
        let script = try String(contentsOf: Self.docs.appending(path: "cluster/segdl.sbatch"), encoding: .utf8)
        try Self.run((1...8).map { (script, ["SLURM_ARRAY_TASK_ID": "\($0)", "SLURM_ARRAY_TASK_COUNT": "8"]) })
    }

    @Test("The script of a Kubernetes pod", .enabled(if: hasSplit))
    func kubernetes() throws {
        let line = try Self.line(with: "args:", of: "cluster/segdl-job.yaml")
        let script = String(try #require(line.split(separator: "'").dropFirst().first))
        let environment = ["COUNT": "8", "LIST": "list", "FOLDER": "files", "TMPDIR": "."]
        try Self.run((0..<8).map { (script, environment.merging(["JOB_COMPLETION_INDEX": "\($0)"]) { $1 }) })
    }
}
