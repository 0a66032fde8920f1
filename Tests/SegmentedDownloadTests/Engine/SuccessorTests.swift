import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadLocking
import SegmentedDownloadTestSupport
import Testing

/// Another segdl that begins in the moment in which a download lets go of its names.
@Suite struct SuccessorTests {
    private let content = PatternContent(seed: 95, length: 1 * MiB)

    /// A part file and a journal, as another process makes them.
    private struct Successor: Sendable {
        let part: PartFile
        let journal: Journal

        init(in path: String) throws {
            let folder = try Folder.open(path: path, creating: false)
            let names = FileNames(final: "file")
            part = try PartFile.openLocked(in: folder, name: names.part)
            let header = try JournalHeader.new(
                url: "http://host/newer",
                length: 1000,
                segmentSize: 64 * KiB,
                strongETag: nil,
                lastModified: nil,
                mediaType: nil,
                partFile: part
            )
            journal = try Journal.create(
                in: folder,
                names: names,
                header: header,
                bitmap: SegmentBitmap(count: 1),
                syncs: true
            )
        }
    }

    @Test(
        "One that begins as soon as the part file's name is free keeps its journal, whether the download ended well or not",
        arguments: [true, false]
    )
    func begins(isComplete: Bool) throws {
        let harness = try DownloadHarness()
        let path = harness.folder.path
        let successor = Locked<Successor?>(nil)
        let begin = Once {
            do {
                let made = try Successor(in: path)
                successor.withLock { $0 = made }
            } catch {
                Issue.record(error)
            }
        }
        let intercept: SystemCall.Interceptor = { attempt, proceed throws(Errno) in
            let result = try proceed()
            guard FilesTestFolder.name(ofDescriptor: attempt.fd, in: path) == "." else { return result }
            switch (attempt.name, attempt.arguments) {
            case (.renameNoReplace, .names("file.segdl.part", _)), (.unlinkat, .name("file.segdl.part")): begin.run()
            default: break
            }
            return result
        }
        let route = Route(content).on(.ranged) { if !isComplete { $0.fail(404) } }
        try FaultServer.run(["/file": route]) { server in
            try SystemCall.withInterceptor(intercept) {
                let result = try harness.run(server.url("/file"))
                #expect(((try? result.get()) != nil) == isComplete, "\(result)")
            }
        }
        let names = try harness.folder.names()
        #expect(names == (isComplete ? ["file"] : []) + ["file.segdl.journal", "file.segdl.part"])
        #expect(successor.withLock { $0 } != nil)
    }
}
