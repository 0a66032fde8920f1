import SegmentedDownloadTestSupport

/// `tail`: connections that lag, stall or are refused must not hold up the end. Each connection has 4 MB/s unless said otherwise.
extension Scope {
    var tail: [Comparison] {
        [oneSlow, oneStalled, halfSlow, refusing(.status(503), "503"), refusing(.reset, "reset")]
    }

    /// Eight seconds at full rate; three for a look.
    var tailByteCount: Int64 { 8 * Link.capBytesPerSecond * (isQuick ? 3 : 8) }

    private static let even: Venue = Link.capped.startServer

    private static func scripted(_ script: @escaping ScriptedServer.Script) -> Venue {
        { _ in try ScriptedServer(script) }
    }

    /// Every connection is held to the cap, and some are changed.
    private static func changing(
        _ isChanged: @escaping @Sendable (_ number: Int) -> Bool,
        _ change: @escaping @Sendable (inout Behaviour) -> Void
    ) -> Venue {
        scripted { content, before in
            Route(content) { $0.bytesPerSecond = Link.capBytesPerSecond }
                .on(.matching { isChanged($0.connection - before) }) { change(&$0) }
        }
    }

    /// The same with and without the fault.
    private func faulty(_ name: String, _ venue: @escaping Venue, _ fault: String, atMost limit: Double) -> Comparison {
        Comparison(
            name: name,
            venues: [venue, Self.even],
            files: FileSet(byteCount: tailByteCount),
            contenders: [
                .segdl(segdl, jobs: 8).at(venue: 0, fault), .segdl(segdl, jobs: 8).at(venue: 1, "without it"),
            ],
            bars: [.time(0, 1, atMost: limit)],
            rounds: (rounds + 1) / 2
        )
    }

    var oneSlowVenue: Venue { Self.changing({ $0 == 3 }) { $0.bytesPerSecond = 20_000 } }

    private var oneSlow: Comparison {
        faulty("one of 8 connections at 20 KB/s", oneSlowVenue, "one slow", atMost: 1.15)
    }

    private var oneStalled: Comparison {
        let half = tailByteCount / 16
        let venue = Self.changing({ $0 == 3 }) { $0.stallAfter = half }
        return faulty("one of 8 connections stalls half-way", venue, "one stalls", atMost: 1.2)
    }

    private var halfSlow: Comparison {
        let venue = Self.changing({ $0.isMultiple(of: 2) }) { $0.bytesPerSecond = Link.capBytesPerSecond / 4 }
        let rate = Double(Link.capBytesPerSecond) * (4 + 4 / 4)
        let ideal = Double(tailByteCount) / rate
        return Comparison(
            name: "every second connection at a quarter of the rate",
            venues: [venue],
            files: FileSet(byteCount: tailByteCount),
            contenders: [.segdl(segdl, jobs: 8)],
            bars: [.init(quantity: .time, subject: 0, reference: .ideal(ideal), bound: .atMost(1.1))],
            rounds: (rounds + 1) / 2
        )
    }

    private func refusing(_ surplus: Behaviour.Surplus, _ name: String) -> Comparison {
        let venue = Self.scripted { content, _ in
            Route(content) {
                $0.bytesPerSecond = Link.capBytesPerSecond
                $0.maximumConcurrentRequests = 4
                $0.surplus = surplus
            }
        }
        return Comparison(
            name: "the server bears 4 connections (\(name))",
            venues: [venue],
            files: FileSet(byteCount: tailByteCount / 2),
            contenders: [.segdl(segdl, jobs: 8), .segdl(segdl, jobs: 4)],
            bars: [.time(0, 1, atMost: 1.1)],
            rounds: (rounds + 1) / 2
        )
    }
}
