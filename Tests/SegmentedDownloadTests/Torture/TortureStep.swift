import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport

/// One run of a download, as part of a torture: what the server has, how far it lets the run come, and what the run is
/// asked for.
struct TortureStep: Sendable {
    static let segmentCount: Int64 = 20
    /// The last segment is a short one.
    static let length = segmentCount * 64 * KiB - 1000
    static let content = PatternContent(seed: 21, length: length)
    /// An older version of the file, of the same length.
    static let oldContent = PatternContent(seed: 22, length: length)
    /// A file that stands at NAME before.
    static let precious = PatternContent(seed: 23, length: 100_000)

    /// A file that comes whole with the answer that tells what it is.
    static let small = TortureStep(content: PatternContent(seed: 24, length: 50_000)) { $0.skipsHead = true }

    /// The content's digest, by the system's own program.
    static let checksum: Checksum? = {
        guard let folder = try? TemporaryFolder(), (try? content.write(toFileAt: folder.path("x"))) != nil,
            let digest = try? FileDigest.sha256(ofFileAt: folder.path("x"))
        else { return nil }
        return Checksum("sha256:\(digest)")
    }()

    var content = Self.content
    /// So many ranged requests are answered, then none.
    var answeredCount: Int?
    var hasRanges = true
    var tellsLength = true
    var hasValidators = true
    var change: @Sendable (inout DownloadRequest) -> Void = { _ in }

    /// What the server does.
    var route: Route {
        let route = Route(content) {
            if !hasRanges { ($0.ranges, $0.acceptRanges) = (.ignored, "none") }
            if !hasValidators { ($0.etag, $0.lastModified) = (.none, nil) }
            if !tellsLength { $0.framing = .chunked }
        }
        guard let answeredCount else { return route }
        return route.on(.ranged, .after(answeredCount)) { $0.fail(404) }
    }

    /// Three connections, one request a segment: many calls, and many syncs between them.
    static var options: SessionOptions {
        var options = DownloadHarness.options(jobs: 3)
        options.keeperPolicy.minimumInterval = .zero
        options.keeperPolicy.writeBackByteCount = 256 * KiB
        options.keeperPolicy.cachedByteCount = 512 * KiB
        return options
    }

    /// Runs it, and returns how it ended and what was noted.
    func run(_ url: String, in folder: String, _ session: Session) -> (Result<DownloadReport, DownloadError>, [String])
    {
        var request = DownloadRequest(url: url)
        request.directory = folder
        request.segmentSize = 64 * KiB
        request.requestSize = 64 * KiB
        change(&request)
        let notes = EventLog()
        let download = session.start(request) { event in
            if case .note(let text) = event { notes.append(text) }
        }
        do throws(DownloadError) {
            return (.success(try download.wait()), notes.events)
        } catch {
            return (.failure(error), notes.events)
        }
    }
}
