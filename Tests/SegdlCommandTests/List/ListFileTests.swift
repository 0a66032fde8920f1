import Foundation
import SegdlCommand
import SegmentedDownload
import SegmentedDownloadTestSupport
import Testing

struct ListFileTests {
    private static func entries(_ source: EntrySource) -> [String?] {
        var source = source
        var urls: [String?] = []
        while let item = source.next(isStopped: { false }) { urls.append(try? item.get().url) }
        return urls
    }

    /// A pipe as a file: `/dev/fd/N`, as `<(…)` of a shell names it.
    private struct PipeList {
        let pipe = Pipe()
        var source: Options.ListSource { .file("/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)") }

        func write(_ text: String) throws {
            try pipe.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        }
    }

    @Test func `the URLs of the command line come first, then the lists, in their order`() throws {
        let folder = try TemporaryFolder()
        let first = try ListFile(.file(try folder.write("http://a/1\nx\n\n", to: "one")))
        let second = try ListFile(.file(try folder.write("\u{FEFF}http://a/2\r\n out=x", to: "two")))
        let empty = try ListFile(.file(try folder.write("", to: "empty")))
        let source = EntrySource(urls: ["http://a/0"], lists: [first, empty, second])
        #expect(source.count == 4)
        #expect(Self.entries(source) == ["http://a/0", "http://a/1", nil, "http://a/2"])
    }

    @Test(arguments: ["none", "."])
    func `a list that can't be read is refused when it is opened`(_ name: String) throws {
        let folder = try TemporaryFolder()
        let error = #expect(throws: DownloadError.self) { _ = try ListFile(.file(folder.path(name))) }
        #expect(error?.kind == .localFile)
        #expect(error?.message.contains(folder.path(name)) == true)
    }

    @Test func `lists longer than what is read at once keep all entries, and their count is right`() throws {
        let folder = try TemporaryFolder()
        let text = (0..<20_000).map { "http://a/\($0)\n  out=\($0)\n" }.joined()
        let list = try ListFile(.file(try folder.write(text, to: "list")))
        #expect(list.entryCount == 20_000)
        var number = 0
        while let item = list.next(isStopped: { false }) {
            let entry = try item.get()
            #expect(entry.url == "http://a/\(number)" && entry.output == "\(number)")
            number += 1
        }
        #expect(number == 20_000)
    }

    @Test func `a pipe's entries are not counted beforehand`() throws {
        let pipe = PipeList()
        try pipe.write("http://a/1\nhttp://a/2\n")
        let source = EntrySource(urls: ["http://a/0"], lists: [try ListFile(pipe.source)])
        try pipe.pipe.fileHandleForWriting.close()
        #expect(source.count == nil)
        #expect(Self.entries(source) == ["http://a/0", "http://a/1", "http://a/2"])
    }

    @Test func `a pipe that brings nothing more gets its last URL begun, and a late line is an error`() throws {
        let pipe = PipeList()
        let list = try ListFile(pipe.source, patience: 1)
        try pipe.write("http://a/1\n  out=x\n")
        #expect(try list.next(isStopped: { false })?.get().output == "x")
        try pipe.write("  dir=y\nhttp://a/2\n")
        let late = try #require(list.next(isStopped: { false }))
        #expect(throws: DownloadError.self) { try late.get() }
        #expect(try list.next(isStopped: { false })?.get().url == "http://a/2")
        try pipe.pipe.fileHandleForWriting.close()
        #expect(list.next(isStopped: { false }) == nil)
    }

    @Test func `a line that is under way is waited for`() throws {
        let pipe = PipeList()
        let list = try ListFile(pipe.source, patience: 1)
        try pipe.write("http://a/1\n  out=")
        var looks = 0
        // Stopped where it would go on waiting for ever.
        let none = list.next(isStopped: {
            looks += 1
            return looks == 3
        })
        #expect(none == nil && looks == 3)
        try pipe.write("x\nhttp://a/2\n")
        #expect(try list.next(isStopped: { false })?.get().output == "x")
    }

    @Test func `a stop ends the wait for a pipe`() throws {
        let pipe = PipeList()
        var source = EntrySource(urls: [], lists: [try ListFile(pipe.source)])
        #expect(source.next(isStopped: { true }) == nil)
    }
}
