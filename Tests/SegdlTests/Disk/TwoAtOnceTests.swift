import Foundation
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

/// Several segdl in one folder.
@Suite struct TwoAtOnceTests {
    private let content = PatternContent(seed: 441, length: 4 * MiB)

    @Test("The second is told which process holds the file, and a lock never outlives its holder")
    func holder() throws {
        try FaultServer.run(["/file": Route(content).on(.ranged) { $0.stallAfter = 100_000 }]) { server in
            // On Btrfs and some overlays the system doesn't tell; a tmpfs does.
            let parent = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : nil
            let segdl = try SegdlBinary(in: parent)
            let options = ["-s", "64K", "--stall-timeout", "600", server.url("/file")]
            let first = try segdl.start(options)
            try server.waitUntil { $0.stalledCount > 0 }
            let second = try segdl.run(options)
            #expect(second.end == .exit(3))
            #if os(Linux)
                #expect(second.standardError.contains("Another segdl (process \(first.id)) is downloading to"))
            #endif
            #expect(second.standardError.contains("wait for it, or choose another name with -o"))
            first.kill(SIGKILL)
            try first.wait()
            server.setRoute("/file", Route(content))
            #expect(try segdl.run(options).end == .exit(0))
            #expect(try content.matches(fileAt: segdl.folder.path("file")))
        }
    }

    @Test(
        "Where the file system has no locks, it says that it is unprotected, and works",
        .enabled(if: Strace.missing == nil, "\(Strace.missing ?? "")"),
        arguments: ["ENOLCK", "EOPNOTSUPP", "ENOSYS"]
    )
    func withoutLocks(error: String) throws {
        try FaultServer.run(["/file": Route(content)]) { server in
            let segdl = try SegdlBinary()
            let words = Strace.injecting("error=\(error)", into: "flock")
            let result = try segdl.start(behind: words, [server.url("/file")]).wait()
            #expect(result.end == .exit(0))
            #expect(result.standardError.contains("nothing keeps a second segdl from writing to the same file"))
            #expect(try content.matches(fileAt: segdl.folder.path("file")))
        }
    }

    @Test("Names in one folder that differ only in what they end in do not disturb each other")
    func neighbours() throws {
        let names = [
            "file", "file.1", "file.segdl", "file.part", "file.journal", "file.segdl.par", "file.segdl.part.1", "FILE",
            "fil",
        ]
        var routes: [String: Route] = [:]
        for (number, name) in names.enumerated() {
            let own = PatternContent(seed: 450 + UInt64(number), length: 2 * MiB + Int64(number))
            routes["/\(name)"] = Route(own) { $0.bytesPerSecond = 4_000_000 }
        }
        try FaultServer.run(routes) { server in
            let segdl = try SegdlBinary()
            var random = SeededRandom(seed: 460)
            let options = { (name: String) in ["-q", "-s", "64K", "-j", "2", "-o", name, server.url("/\(name)")] }
            let first = try names.map { try segdl.start(options($0)) }
            for child in first where Bool.random(using: &random) {
                usleep(UInt32.random(in: 0..<30_000, using: &random))
                child.kill(SIGKILL)
            }
            for child in first { try child.wait() }
            let second = try names.map { try segdl.start(options($0)) }
            for child in second { #expect(try child.wait().end == .exit(0)) }
            for (number, name) in names.enumerated() {
                let own = PatternContent(seed: 450 + UInt64(number), length: 2 * MiB + Int64(number))
                #expect(try own.difference(fromFileAt: segdl.folder.path(name)) == nil)
            }
            #expect(try segdl.folder.names() == names.sorted())
        }
    }

    @Test("Eight at once on one name: one fetches the file, the others end with 3 or find it there")
    func crowd() throws {
        try FaultServer.run(["/file": Route(content) { $0.bytesPerSecond = 4_000_000 }]) { server in
            let segdl = try SegdlBinary()
            let children = try (0..<8).map { _ in try segdl.start(["-s", "64K", "-j", "2", server.url("/file")]) }
            let results = try children.map { try $0.wait() }
            #expect(results.contains { $0.end == .exit(0) })
            for result in results where result.end != .exit(0) {
                #expect(result.end == .exit(3))
                #expect(result.standardError.contains("Another segdl"), "\(result.standardError)")
            }
            #expect(try content.matches(fileAt: segdl.folder.path("file")))
            #expect(try segdl.folder.names() == ["file"])
        }
    }
}
