import Foundation
import SegmentedDownloadLocking
import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

/// One download through the public API against a scripted server, with short waits.
final class DownloadHarness: Sendable {
    static let segmentSize = 64 * KiB

    let folder: TemporaryFolder
    private let events = Locked<[DownloadEvent]>([])

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Options whose waits suit a test: a failing one still ends soon.
    static func options(jobs: Int = 4) -> SessionOptions {
        var options = SessionOptions()
        options.jobs = jobs
        options.retryRounds = 3
        options.retryWait = .milliseconds(10)
        // Under a sanitizer a long head takes longer than this without being a stall.
        options.stallTimeout = Sanitizer.isActive ? .seconds(3) : .milliseconds(400)
        options.connectTimeout = .seconds(5)
        // On a busy machine loopback is far, too, and many tests count connections.
        options.preconnectThreshold = .seconds(60)
        options.headPatience = .milliseconds(400)
        return options
    }

    func request(_ url: String, _ change: (inout DownloadRequest) -> Void = { _ in }) -> DownloadRequest {
        var request = DownloadRequest(url: url)
        request.directory = folder.path
        request.segmentSize = Self.segmentSize
        change(&request)
        return request
    }

    /// Starts a download whose events are kept.
    func start(_ request: DownloadRequest, in session: Session) -> Download {
        session.start(request) { [self] event in events.withLock { $0.append(event) } }
    }

    /// Downloads, and returns how it ended.
    func run(
        _ url: String,
        options: SessionOptions = options(),
        _ change: (inout DownloadRequest) -> Void = { _ in }
    ) throws -> Result<DownloadReport, DownloadError> {
        let session = try Session(options)
        defer { session.close() }
        let download = start(request(url, change), in: session)
        do throws(DownloadError) {
            return .success(try download.wait())
        } catch {
            return .failure(error)
        }
    }

    /// Blocks until a download has received so many bytes in all.
    ///
    /// - Throws: A sentence where it has ended without them.
    func waitUntil(_ download: Download, hasReceived byteCount: Int64) throws {
        while download.progress.receivedByteCount < byteCount {
            if download.progress.phase == .ended {
                throw TestSupportError("the download has ended before it had received \(byteCount) bytes")
            }
            // Nothing tells of bytes, and a thread that spins takes the processor from those that bring them.
            usleep(1000)
        }
    }

    var seenEvents: [DownloadEvent] { events.withLock { $0 } }

    var notes: [String] {
        seenEvents.compactMap { if case .note(let text) = $0 { text } else { nil } }
    }

    /// Why connections ended that did not come to their end.
    var failedConnections: [String] {
        seenEvents.compactMap {
            if case .connection(let event) = $0, event.change == .failed { event.reason } else { nil }
        }
    }
}

extension DownloadHarness {
    /// Leaves a part file with about half of a content of 4 MiB: the second half of each range stalls, and the
    /// download is cancelled.
    func leaveHalf(
        of content: PatternContent,
        on server: FaultServer,
        path: String = "/file",
        _ change: @escaping @Sendable (inout Behaviour) -> Void = { _ in }
    ) throws {
        precondition(content.length == 4 * MiB, "the numbers below are for 4 MiB")
        server.setRoute(path, Route(content, change).on(.ranged) { $0.stallAfter = 600_000 })
        var options = Self.options(jobs: 4)
        // The stall is wanted.
        options.stallTimeout = .seconds(60)
        let session = try Session(options)
        defer { session.close() }
        let download = start(request(server.url(path)), in: session)
        try server.waitUntil { $0.stalledCount >= 4 }
        // The bytes that the server has sent are here once the counters say so.
        try waitUntil(download, hasReceived: 4 * 600_000 - 4 * 65_536)
        download.cancel()
        #expect(throws: DownloadError.self) { try download.wait() }
        try server.release()
        #expect(try folder.names().sorted() == ["file.segdl.journal", "file.segdl.part"])
    }
}

extension [RequestRecord] {
    /// The ranges that GETs asked for, in ascending order.
    var askedRanges: [Range<Int64>] {
        filter { $0.method == "GET" }.compactMap(\.range).sorted { $0.lowerBound < $1.lowerBound }
    }
}

extension [Range<Int64>] {
    /// Whether the ranges, in this order, make up `whole` without gap and overlap.
    func tile(_ whole: Range<Int64>) -> Bool {
        var offset = whole.lowerBound
        for range in self {
            guard range.lowerBound == offset else { return false }
            offset = range.upperBound
        }
        return offset == whole.upperBound
    }
}
