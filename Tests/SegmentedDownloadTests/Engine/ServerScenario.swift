import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport

/// How a server behaves, and what must come of it.
struct ServerScenario: Sendable, CustomStringConvertible {
    enum Expectation: Sendable {
        /// The right file, with at most so many times its size in body bytes received.
        case file(atMost: Double)
        /// The same, and its ranges were not given up for one stream.
        case parts(atMost: Double)
        /// A failure of this kind, NAME never there.
        case failure(DownloadError.Kind)
    }

    let name: String
    var expected = Expectation.file(atMost: 1.2)
    var length = 1 * MiB
    let route: @Sendable (PatternContent) -> Route

    var description: String { name }

    init(
        _ name: String,
        _ expected: Expectation = .file(atMost: 1.2),
        length: Int64 = 1 * MiB,
        _ route: @escaping @Sendable (PatternContent) -> Route
    ) {
        self.name = name
        self.expected = expected
        self.length = length
        self.route = route
    }
}

extension Requests {
    var inverted: Requests {
        let matches = self
        return .matching { !matches.contains($0) }
    }
}
