import Dispatch
import Foundation
import SegdlCommand

/// A pipe that text is written into, and read back once all writers have gone.
struct TextPipe {
    private let pipe = Pipe()
    let stream: TextStream

    init() {
        stream = TextStream(fd: pipe.fileHandleForWriting.fileDescriptor)
    }

    /// Closes the writing end and returns what was written; less than a pipe holds.
    func text() throws -> String {
        try pipe.fileHandleForWriting.close()
        return String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    }

    /// Reads while a body has things written, then closes the writing end and returns everything.
    func textWhileWritten(_ body: @escaping @Sendable () -> Void) throws -> String {
        let writer = pipe.fileHandleForWriting
        DispatchQueue(label: "writer").async {
            body()
            try? writer.close()
        }
        return String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    }

    func closeReader() throws {
        try pipe.fileHandleForReading.close()
    }
}

/// A console that writes into pipes and has the environment given.
struct TestConsole {
    let output = TextPipe()
    let error = TextPipe()
    var environment: [String: String] = [:]

    var console: Console {
        Console(output: output.stream, error: error.stream, environment: { [environment] in environment[$0] })
    }

    func display(_ arguments: [String] = []) throws -> Display {
        Display(try CommandLineParser.parse(arguments + ["http://a/"]), console)
    }
}

/// A download under way that never ends.
func running() -> RunningDownload {
    RunningDownload(
        progress: { progress() },
        segmentMap: { Array(repeating: 0, count: $0) },
        whenEnded: { _ in }
    )
}

/// A file that text is written into: it takes more than a pipe does.
struct FileOutput {
    private let handle: FileHandle
    private let path: String
    let stream: TextStream

    init?(_ path: String) {
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let handle = FileHandle(forWritingAtPath: path)
        else { return nil }
        (self.path, self.handle) = (path, handle)
        stream = TextStream(fd: handle.fileDescriptor)
    }

    func text() throws -> String {
        try String(contentsOfFile: path, encoding: .utf8)
    }
}
