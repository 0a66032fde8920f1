import Foundation
import SegmentedDownloadTestSupport
import Testing

struct ChildProcessTests {
    @Test func `Status and both outputs are captured`() throws {
        let result = try ChildProcess.run("sh", ["-c", "echo out; echo err >&2; exit 7"])
        #expect(result.end == .exit(7) && result.exitStatus == 7)
        #expect(result.standardOutput == "out\n" && result.standardError == "err\n")
    }

    @Test(arguments: [SIGKILL, SIGTERM, SIGINT]) func `The signal that ended a child is known`(signal: Int32) throws {
        let child = try ChildProcess.start("sh", ["-c", "echo ready; exec sleep 60"])
        try child.waitForOutput { $0 == "ready\n" }
        #expect(child.end == nil)
        child.kill(signal)
        #expect(try child.wait().end == .signal(signal))
    }

    @Test func `More output than a pipe holds does not block the child`() throws {
        let result = try ChildProcess.run("sh", ["-c", "head -c 1000000 /dev/zero"])
        #expect(result.standardOutput.utf8.count == 1_000_000)
    }

    @Test func `Environment and directory are as given`() throws {
        let folder = try TemporaryFolder()
        let result = try ChildProcess.run(
            "sh",
            ["-c", "echo $SEGDL_TEST; pwd -P; echo ${HOME-unset}"],
            environment: ["SEGDL_TEST": "a b", "HOME": nil],
            directory: folder.path
        )
        let lines = result.standardOutput.split(separator: "\n")
        #expect(lines.first == "a b" && lines.last == "unset")
        #expect(lines[1].hasSuffix((folder.path as NSString).lastPathComponent))
    }

    @Test func `Input is written and ended`() throws {
        let child = try ChildProcess.start("cat")
        try child.writeInput("hello")
        child.endInput()
        #expect(try child.wait().standardOutput == "hello")
    }

    @Test func `A child that outlasts its time is killed, and what it wrote told`() throws {
        let error = #expect(throws: TestSupportError.self) {
            try ChildProcess.run("sh", ["-c", "echo so far; exec sleep 60"], timeout: .milliseconds(500))
        }
        #expect(error?.description.contains("so far") == true)
    }

    @Test func `A program that is not there is an error`() {
        #expect(throws: TestSupportError.self) { try ChildProcess.start("/no/such/program") }
    }

    @Test func `Programs are found by name, and this package's products beside the tests`() throws {
        #expect(Executables.installed("sh")?.hasSuffix("/sh") == true)
        #expect(Executables.installed("no such program") == nil)
        #expect(try Executables.product("segdl").hasSuffix("/segdl"))
        #expect(throws: TestSupportError.self) { try Executables.product("no such product") }
    }

    @Test func `The processor time of a child is its own`() throws {
        let busy = try ChildProcess.run("sh", ["-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"])
        #expect(busy.processorTime > .milliseconds(10))
    }

    @Test func `The peak memory of a child is its own, without this process's`() throws {
        let script = "x=$(head -c 10000000 /dev/zero | tr '\\0' a); sleep 0.05"
        let result = try ChildProcess.run("sh", ["-c", script], measuresMemory: true)
        let peak = try #require(result.peakResidentBytes)
        #expect(peak > 10_000_000 && peak < 50_000_000)
    }

    @Test func `A temporary folder goes with all that is in it`() throws {
        var folder: TemporaryFolder? = try TemporaryFolder()
        let path = try #require(folder?.path)
        try folder?.write("x", to: "file")
        #expect(try folder?.names() == ["file"])
        folder = nil
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
