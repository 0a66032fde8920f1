internal import SegmentedDownloadLocking
internal import Synchronization

/// Counters that workers add to and a display reads on its own timer.
final class DownloadCounters: Sendable {
    private static let phases: [DownloadProgress.Phase] = [
        .probing, .comparing, .transferring, .verifying, .syncing, .ended,
    ]

    /// -1 before the first one.
    private let phaseNumber = Atomic<Int>(-1)
    /// -1 where it is not known.
    private let length = Atomic<Int64>(-1)
    private let held = Atomic<Int64>(0)
    private let resumed = Atomic<Int64>(0)
    private let received = Atomic<Int64>(0)
    private let refetched = Atomic<Int64>(0)
    private let hashed = Atomic<Int64>(0)
    private let connections = Atomic<Int>(0)
    /// What was received, by connection.
    private let byConnection = Locked<[Int64]>([])

    var phase: DownloadProgress.Phase { Self.phases[max(0, phaseNumber.load(ordering: .relaxed))] }

    var snapshot: DownloadProgress {
        let length = length.load(ordering: .relaxed)
        let held = max(0, held.load(ordering: .relaxed))
        return DownloadProgress(
            phase: phase,
            length: length < 0 ? nil : length,
            heldByteCount: length < 0 ? held : min(held, length),
            resumedByteCount: resumed.load(ordering: .relaxed),
            receivedByteCount: received.load(ordering: .relaxed),
            hashedByteCount: hashedByteCount,
            connectionCount: max(0, connections.load(ordering: .relaxed)),
            connectionByteCounts: byConnection.withLock { $0 }
        )
    }

    var receivedByteCount: Int64 { received.load(ordering: .relaxed) }
    var refetchedByteCount: Int64 { refetched.load(ordering: .relaxed) }
    var hashedByteCount: Int64 { hashed.load(ordering: .relaxed) }
    var resumedByteCount: Int64 { resumed.load(ordering: .relaxed) }

    /// - Returns: Whether it is another phase than before.
    @discardableResult
    func enter(_ next: DownloadProgress.Phase) -> Bool {
        let number = Self.phases.firstIndex(of: next) ?? 0
        return phaseNumber.exchange(number, ordering: .relaxed) != number
    }

    func setLength(_ byteCount: Int64?) { length.store(byteCount ?? -1, ordering: .relaxed) }

    /// What the file holds at the start of a transfer; what was held before and is not any more is fetched again.
    func begin(resumed byteCount: Int64) {
        held.store(byteCount, ordering: .relaxed)
        resumed.store(byteCount, ordering: .relaxed)
    }

    func addReceived(_ byteCount: Int64, by connection: Int, isNew: Bool = true) {
        byConnection.withLock { counts in
            counts += repeatElement(0, count: max(0, connection + 1 - counts.count))
            counts[connection] += byteCount
        }
        received.add(byteCount, ordering: .relaxed)
        if isNew { held.add(byteCount, ordering: .relaxed) } else { refetched.add(byteCount, ordering: .relaxed) }
    }

    /// Bytes that were counted as of no use have found their place.
    func adopt(_ byteCount: Int64) {
        refetched.subtract(byteCount, ordering: .relaxed)
        held.add(byteCount, ordering: .relaxed)
    }

    func setHeld(_ byteCount: Int64) { held.store(byteCount, ordering: .relaxed) }

    func setHashed(_ byteCount: Int64) { hashed.store(byteCount, ordering: .relaxed) }

    func addConnections(_ change: Int) { connections.add(change, ordering: .relaxed) }
}

extension DownloadProgress.Phase {
    /// Whether nothing more is asked of a server.
    var hasAllBytes: Bool {
        switch self {
        case .probing, .comparing, .transferring: false
        case .verifying, .syncing, .ended: true
        }
    }
}
