import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

@Suite struct LimitTests {
    private let content = PatternContent(seed: 82, length: 1 * MiB + 1)

    @Test("512 connections for a small file open no more than it has segments")
    func manyJobs() throws {
        try FaultServer.run(["/file": Route(content)]) { server in
            let segdl = try SegdlBinary()
            #expect(try segdl.run(["-q", "-j", "512", "-s", "64K", server.url("/file")]).end == .exit(0))
            #expect(try content.matches(fileAt: segdl.folder.path("file")))
            #expect(server.log.maximumConcurrentConnections <= 17)
        }
    }

    @Test("A soft limit of descriptors is raised; a hard one gets a sentence that says how many are possible")
    func descriptors() throws {
        try FaultServer.run(["/file": Route(content)]) { server in
            let segdl = try SegdlBinary()
            let options = ["-j", "64", server.url("/file")]
            let refused = try segdl.start(after: "ulimit -n 128", options).wait()
            #expect(refused.end == .exit(1))
            #expect(refused.standardError.contains("use at most 21 connections"))
            #expect(server.requests.isEmpty)
            let raised = try segdl.start(after: "ulimit -Sn 128", options).wait()
            #expect(raised.end == .exit(0), "\(raised.standardError)")
            #expect(try content.matches(fileAt: segdl.folder.path("file")))
        }
    }
}
