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
            let finish = try #require(objects.first { $0["event"] as? String == "finish" })
            #expect(finish["file"] as? Int == 2 && finish["bytes"] as? Int64 == content.length)
            let summary = try #require(objects.last)
            #expect(summary["event"] as? String == "summary" && summary["file"] as? Int == 0)
            #expect(summary["downloaded"] as? Int == 1 && summary["failed"] as? Int == 1)
            #expect(summary["bytes"] as? Int64 == content.length)
        }
    }

    @Test("Each file of a list has one progress event that says 'ended', right before its finish")
    func ended() throws {
        let names = (0..<20).map { "/f\($0)" }
        try FaultServer.run(Dictionary(uniqueKeysWithValues: names.map { ($0, Route(content)) })) { server in
            let result = try SegdlBinary().run(["--progress", "json", "-s", "64K"] + names.map { server.url($0) })
            #expect(result.end == .exit(0), "\(result.standardError)")
            let objects = try result.standardOutput.split(separator: "\n").map(Self.object)
            for number in 1...names.count {
                let own = objects.filter { $0["file"] as? Int == number }
                #expect(own.count { $0["phase"] as? String == "ended" } == 1)
                #expect(own.suffix(2).map { $0["event"] as? String } == ["progress", "finish"])
                #expect(own.suffix(2).first?["phase"] as? String == "ended")
            }
        }
    }

    @Test("An error names its URL whatever ended it: the time, a signal, a line of a list", arguments: [1, 3])
    func errorURL(count: Int) throws {
        let names = (0..<count).map { "/slow\($0)" }
        let slow = Route(PatternContent(seed: 82, length: 100_000)) { $0.stallAfter = 1000 }
        try FaultServer.run(Dictionary(uniqueKeysWithValues: names.map { ($0, slow) })) { server in
            let options = ["--progress", "json", "--stall-timeout", "100"]
            let urls = names.map { server.url("\($0)?secret=1") }
            let segdl = try SegdlBinary()
            let child = try segdl.start(options + urls)
            try server.waitUntil { $0.stalledCount >= count }
            child.kill(SIGTERM)
            let stopped = try child.wait()
            #expect(stopped.end == .signal(SIGTERM))
            let overdue = try SegdlBinary().run(options + ["--max-time", "0.3"] + urls)
            #expect(overdue.end == .exit(4))
            for result in [overdue, stopped] {
                let found = try Self.errors(of: result).map { $0["url"] as? String }
                #expect(!found.isEmpty, "\(result.standardOutput)")
                #expect(Set(found).isSubset(of: names.map { server.url($0) }), "\(result.standardOutput)")
            }
            #expect(try Self.errors(of: stopped).count == count)
        }
    }

    @Test("A line of a list that is wrong below a URL is an error with that URL; a URL that is none has none")
    func lineURL() throws {
        let segdl = try SegdlBinary()
        let list = try segdl.writeList(["http://me:secret@127.0.0.1:1/x?y", "  split=4", "none"])
        let errors = try Self.errors(of: segdl.run(["--progress", "json", "-i", list]))
        #expect(errors.map { $0["url"] as? String } == ["http://127.0.0.1:1/x", nil])
        #expect(errors.allSatisfy { $0["status"] as? Int == 2 })
    }

    private static func errors(of result: ChildProcess.Result) throws -> [[String: Any]] {
        try result.standardOutput.split(separator: "\n").map(object).filter { $0["event"] as? String == "error" }
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

    #if os(Linux)
        /// A socket or the part file of that number would be written into by messages; which it is, is luck.
        @Test("A stream that the caller closed leads nowhere, and not into what is opened next", arguments: 0...2)
        func closedStream(number: Int) throws {
            try FaultServer.run(["/file": Route(content) { $0.stallAfter = 1000 }]) { server in
                let segdl = try SegdlBinary()
                let options = ["-v", "--progress", "json", "-j", "1", server.url("/file")]
                let child = try segdl.start(after: "exec \(number)>&-", options)
                try server.waitUntil { $0.stalledCount > 0 }
                let link = "/proc/\(child.id)/fd/\(number)"
                #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "/dev/null")
                server.setRoute("/file", Route(content))
                try server.release()
                #expect(try child.wait().end == .exit(0))
                #expect(try content.matches(fileAt: segdl.folder.path("file")))
            }
        }
    #endif

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

    @Test("Names reach standard error without their control characters", arguments: [true, false])
    func controlCharacters(isNamedByServer: Bool) throws {
        let name = "a\u{1B}[31mb\u{7F}c"
        let field = isNamedByServer ? "attachment; filename=\"\(name)\"" : nil
        try FaultServer.run(["/file": Route(content) { $0.contentDisposition = field }]) { server in
            let segdl = try SegdlBinary()
            let result = try segdl.run((isNamedByServer ? [] : ["-o", name]) + [server.url("/file")])
            #expect(result.end == .exit(0))
            let isControl = { (scalar: Unicode.Scalar) in scalar.value < 32 && scalar != "\n" || scalar.value == 127 }
            #expect(!result.standardError.unicodeScalars.contains(where: isControl))
            // A server never chooses such a name; a user may.
            let names = try segdl.folder.names()
            #expect(names.contains { $0.unicodeScalars.contains(where: isControl) } != isNamedByServer)
        }
    }
}
