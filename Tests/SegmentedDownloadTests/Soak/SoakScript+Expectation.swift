import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport

// What may come of a run.
extension SoakScript {
    /// Every fault that the run may meet.
    private var faults: [SoakFault] {
        standing + [head, end?.fault].compactMap { $0 } + turns.values
    }

    private func count(_ effect: SoakFault.Effects) -> Int {
        faults.count { $0.effects.contains(effect) }
    }

    /// Whether the file may come as one plain stream.
    private var mayStream: Bool { count(.leadsToStream) > 0 }

    /// The kinds of failure that the run may end with. Where there are none it has to bring the file.
    ///
    /// - Parameter isRerun: Whether an earlier run may have left something.
    func failures(isRerun: Bool) -> Set<DownloadError.Kind> {
        var isSafe = count(.final) == 0 && change == nil
        // An earlier run may have seen no date.
        if !hasDate || isRerun, count(.finalWithoutDate) > 0 { isSafe = false }
        // With an untrue answer that asks for a look, no two answers need agree.
        if count(.finalWithoutDate) > 0, count(.asksAgain) > 0 { isSafe = false }
        if redirects.isEmpty, count(.finalAtOrigin) > 0 { isSafe = false }
        if mayStream, count(.finalInStream) > 0 { isSafe = false }
        // A HEAD that is wrong about the length is not contradicted by streams that tell none.
        if mayHideLength, let head, head.effects.contains(.asksAgain) { isSafe = false }
        // Nor is one that denies every part contradicted by anything that is held.
        if isRerun, standing.contains(where: { $0.effects.contains(.asksAgain) }) { isSafe = false }
        // What is held is not thrown away for something that may not be the file.
        if isRerun, mayHideLength || !isToldFromPage { isSafe = false }
        return isSafe ? [] : Set(faults.map(\.kind)).union([.protocol, .network])
    }

    /// Whether the server may tell no length, for which an earlier run's bytes are not thrown away.
    private var mayHideLength: Bool {
        if case .length = usualBehaviour.framing { false } else { mayStream }
    }

    /// Whether the server's own answers leave open where the file ends.
    var mayHideEnd: Bool {
        if case .untilClose = usualBehaviour.framing { return count(.hidesEnd) > 0 }
        return false
    }

    /// The time in which the run has to be over: what it may take on an idle machine, with tenfold slack.
    var patience: Duration {
        let faultCost = faults.reduce(Duration.zero) { $0 + $1.cost }
        return (.seconds(1) + faultCost) * 10
    }

    /// The most body bytes that the run may take in.
    var trafficLimit: Int64 {
        let size = max(content.length, lastContent.length)
        // Each fault may throw a stream back to its start; parts lose no byte.
        let streams = mayStream ? 1 + turns.count : 0
        let versions = 1 + (change == nil ? 0 : 1) + min(1, count(.asksAgain))
        return size * Int64(streams + versions) + size / 5 + MiB / 2
    }

    /// The most requests that the run may send over so many connections: each may fail in each round of retries.
    func requestLimit(jobs: Int) -> Int {
        let piece = min(usualBehaviour.smallestAnswer, 64 * KiB)
        return 40 + 10 * jobs + 4 * turns.count + 3 * Int(max(content.length, lastContent.length) / piece)
    }
}

extension Behaviour {
    fileprivate var smallestAnswer: Int64 {
        let window: Int64 = if case .first(let count) = window { count } else { .max }
        return min(window, cut?.afterBytes ?? .max)
    }
}
