import Foundation
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

@Suite struct OutputTests {
    private let content = PatternContent(seed: 81, length: 1 * MiB)

    @Test("Each line of --progress json is an object of its own, and the first one alone names the schema")
    func json() throws {
        try FaultServer.run(["/file": Route(content)]) { server in
            let result = try SegdlBinary().run(["--progress", "json", server.url("/missing"), server.url("/file")])
            #expect(result.end == .exit(8))
            let objects = try result.standardOutput.split(separator: "\n").map(Self.object)
            #expect(objects.first?["schema"] as? Int == 1)
            #expect(objects.dropFirst().allSatisfy { $0["schema"] == nil })
            #expect(objects.allSatisfy { $0["event"] is String && $0["time"] is Double && $0["file"] is Int })
            let error = try #require(objects.first { $0["event"] as? String == "error" })
            #expect(error["status"] as? Int == 8 && error["file"] as? Int == 1)
            let finish = try #require(objects.last)
            #expect(finish["event"] as? String == "finish" && finish["file"] as? Int == 2)
            #expect(finish["bytes"] as? Int64 == content.length)
        }
    }

    private static func object(_ line: Substring) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
    }

    @Test("A reader of the JSON lines that goes away does not end the download")
    func brokenPipe() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        close(ends[0])
        defer { close(ends[1]) }
        try FaultServer.run(["/file": Route(content)]) { server in
            let segdl = try SegdlBinary()
            let options = ["--progress", "json", server.url("/file")]
            let child = try segdl.start(after: ":", options, descriptors: [ends[1]])
            #expect(try child.wait().end == .exit(0))
            #expect(try content.matches(fileAt: segdl.folder.path("file")))
        }
    }

    @Test("Streams that the caller closed are no place for the file's bytes", arguments: ["0<&-", "1>&-", "2>&-"])
    func closedStream(redirection: String) throws {
        try FaultServer.run(["/file": Route(content)]) { server in
            let segdl = try SegdlBinary()
            let child = try segdl.start(after: "exec \(redirection)", ["--progress", "json", server.url("/file")])
            #expect(try child.wait().end == .exit(0))
            #expect(try content.matches(fileAt: segdl.folder.path("file")))
        }
    }

    @Test("-q prints errors and nothing else")
    func quietError() throws {
        try FaultServer.run([:]) { server in
            let result = try SegdlBinary().run(["-q", server.url("/missing")])
            #expect(result.end == .exit(8))
            #expect(result.standardOutput.isEmpty)
            #expect(result.standardError.hasPrefix("segdl: "))
            #expect(result.standardError.split(separator: "\n").count == 1)
        }
    }

    @Test("Text from the server reaches standard error without its control characters")
    func serverText() throws {
        let name = "attachment; filename=\"a\u{1B}[31mb\u{7F}c\""
        try FaultServer.run(["/file": Route(content) { $0.contentDisposition = name }]) { server in
            let segdl = try SegdlBinary()
            let result = try segdl.run([server.url("/file")])
            #expect(result.end == .exit(0))
            let isControl = { (scalar: Unicode.Scalar) in scalar.value < 32 && scalar != "\n" || scalar.value == 127 }
            #expect(!result.standardError.unicodeScalars.contains(where: isControl))
            #expect(try segdl.folder.names().allSatisfy { !$0.unicodeScalars.contains(where: isControl) })
        }
    }
}
