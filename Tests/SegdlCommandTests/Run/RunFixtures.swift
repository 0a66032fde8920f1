import Dispatch
import Foundation
import SegdlCommand
import SegmentedDownload
import Synchronization

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

/// A download that ends as the test says.
func ended(_ result: Result<DownloadReport, DownloadError>) -> RunningDownload {
    RunningDownload(
        progress: { progress(.ended) },
        segmentMap: { Array(repeating: 1, count: $0) },
        cancel: {},
        wait: { () throws(DownloadError) in try result.get() }
    )
}

/// A download that goes on until it is cancelled.
func endless() -> RunningDownload {
    let isCancelled = DispatchSemaphore(value: 0)
    return RunningDownload(
        progress: { progress() },
        segmentMap: { Array(repeating: 0, count: $0) },
        cancel: { isCancelled.signal() },
        wait: { () throws(DownloadError) in
            isCancelled.wait()
            throw DownloadError(.cancelled, "Cancelled.")
        }
    )
}

/// What a run asked for.
final class Requests: Sendable {
    private let list = Mutex<[DownloadRequest]>([])

    var all: [DownloadRequest] { list.withLock { $0 } }

    func add(_ request: DownloadRequest) {
        list.withLock { $0.append(request) }
    }
}
