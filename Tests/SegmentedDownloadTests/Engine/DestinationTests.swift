import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A place that can't take the file is told before anything is asked of the network.
@Suite struct DestinationTests {
    private let content = PatternContent(seed: 22, length: 100_000)

    private func expectRefusal(
        _ harness: DownloadHarness,
        saying text: String,
        _ change: (inout DownloadRequest) -> Void
    ) throws {
        try FaultServer.run(["/file": Route(content)]) { server in
            let before = try harness.folder.names()
            let result = try harness.run(server.url("/file"), change)
            let error = #expect(throws: DownloadError.self) { try result.get() }
            #expect(error?.kind == .localFile)
            #expect(error?.message.contains(text) == true, "\(String(describing: error))")
            #expect(server.requests.isEmpty)
            #expect(try harness.folder.names() == before)
        }
    }

    static let outputs = [
        ("none/file", "does not exist"), ("folder", "is a folder"), ("plain/file", "is no folder"),
        ("folder/", "names no file"), ("..", "names no file"), ("file.segdl.part", "is named like a part file"),
        (String(repeating: "a", count: 250), "too long"), ("/none/file", "does not exist"),
    ]

    @Test("An -o that can't be used asks nothing of the network", arguments: outputs)
    func output(name: String, text: String) throws {
        let harness = try DownloadHarness()
        mkdir(harness.folder.path("folder"), 0o755)
        try harness.folder.write("precious", to: "plain")
        try expectRefusal(harness, saying: text) { $0.output = name }
        try expectRefusal(harness, saying: text) {
            $0.output = name
            $0.existing = .overwrite
        }
    }

    @Test("A folder that can't be written to, or is none, asks nothing of the network", arguments: [nil, "file"])
    func folder(output: String?) throws {
        let harness = try DownloadHarness()
        try harness.folder.write("precious", to: "plain")
        try expectRefusal(harness, saying: "is no folder") {
            $0.directory += "/plain"
            $0.output = output
        }
        let path = harness.folder.path
        let refusing: SystemCall.Interceptor = { attempt, proceed throws(Errno) in
            if attempt.name == .faccessat, FilesTestFolder.name(ofDescriptor: attempt.fd, in: path) == "." {
                throw Errno(rawValue: EACCES)
            }
            return try proceed()
        }
        try SystemCall.withInterceptor(refusing) {
            try expectRefusal(harness, saying: "Could not write to the folder") { $0.output = output }
        }
    }

    @Test("A folder that -o names in one that -d is to make can't be there", arguments: ["sub/file", "./sub/file"])
    func outputInNewFolder(output: String) throws {
        for policy in [DownloadRequest.ExistingFilePolicy.check, .skip] {
            try expectRefusal(DownloadHarness(), saying: "does not exist") {
                $0.directory += "/new"
                $0.output = output
                $0.existing = policy
            }
        }
    }

    @Test(
        "A folder that -d is to make is not made for a file that the server does not have",
        arguments: [nil, "file", "./file"]
    )
    func made(output: String?) throws {
        let harness = try DownloadHarness()
        try FaultServer.run(["/file": Route(content)]) { server in
            let missing = try harness.run(server.url("/missing")) {
                $0.directory += "/new"
                $0.output = output
            }
            let error = #expect(throws: DownloadError.self) { try missing.get() }
            #expect(error?.kind == .server)
            #expect(try harness.folder.names().isEmpty)
            _ = try harness.run(server.url("/file")) {
                $0.directory += "/new"
                $0.output = output
            }.get()
            #expect(try content.matches(fileAt: harness.folder.path("new/file")))
        }
    }
}
