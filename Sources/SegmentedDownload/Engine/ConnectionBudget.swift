import Dispatch
internal import SegmentedDownloadCore
internal import SegmentedDownloadLocking

/// Which connections of a session serve which of its open downloads.
///
/// A connection that comes free goes to the download that was started first among those that want one. The next
/// download is opened only when the open ones can't use a free connection. Of a host, all downloads together have no
/// more connections than it bears.
///
/// Its lock stands between those of a transfer and of the host records: with it held, only ``HostRecords`` are asked.
final class ConnectionBudget: Sendable {
    /// What is to be done once the lock is let go.
    typealias Deed = @Sendable () -> Void

    /// Downloads that are open at once beyond one a connection: those that sync and rename hold none, and others may start
    /// meanwhile. A file system brings to the disk in one go what many wait for.
    static let restingLimit = 32
    /// A download that is open blocks a thread, and for moments another one for its journal and for its digest: Dispatch has
    /// 255 at most, and where all wait nothing ever runs again.
    private static let mostOpen = 80

    let state: Locked<State>

    /// - Parameters:
    ///   - jobs: The connections that there are.
    ///   - restingLimit: Downloads that are open at once without a connection.
    ///   - isTuned: Whether no more are used than pay.
    init(jobs: Int, restingLimit: Int = ConnectionBudget.restingLimit, isTuned: Bool, hosts: HostRecords) {
        state = Locked(
            State(
                hosts: hosts,
                openLimit: min(jobs + restingLimit, Self.mostOpen),
                free: (0..<jobs).reversed(),
                tuner: isTuned ? ConnectionTuner(maximum: jobs) : nil
            )
        )
    }

    /// The connections of a download that is to be admitted: none so far.
    func makeAllotment() -> ConnectionAllotment {
        let id = state.withLock { state in
            state.nextID += 1
            return ID(rawValue: state.nextID)
        }
        return ConnectionAllotment(self, id)
    }

    /// Opens a download at once, or as soon as the open ones can't use a free connection.
    ///
    /// - Parameters:
    ///   - origin: The host that it talks to first; `nil` where that is not known.
    ///   - onGrant: Called, on any thread, when the download has got a connection.
    ///   - open: Called once, on any thread; the download has a connection then, unless its host bears none more, or the
    ///     session is closed.
    func admit(
        _ allotment: ConnectionAllotment,
        origin: String?,
        onGrant: @escaping @Sendable () -> Void,
        open: @escaping @Sendable () -> Void
    ) {
        change { state in
            let number = state.nextWaiting + state.waiting.count
            state.waiting[number] = Waiting(id: allotment.id, origin: origin, onGrant: onGrant, open: open)
        }
    }

    /// Blocks until a download that is started now would be opened at once.
    ///
    /// - Returns: `false` where the session is closed.
    func waitForRoom() -> Bool {
        let visitor = DispatchSemaphore(value: 0)
        while true {
            let (answer, deeds): (Bool?, [Deed]) = state.withLock { state in
                if state.isClosed { return (false, []) }
                if state.waiting.isEmpty, state.hasRoom { return (true, []) }
                state.visitors.append(visitor)
                // Who has kept connections that it can't use gives them back now.
                return (nil, state.shares.filter { $0.busyCount < $0.held.count }.map(\.onGrant))
            }
            if let answer { return answer }
            for deed in deeds { deed() }
            visitor.wait()
        }
    }

    /// Opens everything that waits, without connections, and whatever is admitted later.
    func close() {
        change { $0.isClosed = true }
    }

    /// Changes the state, and does what follows from it.
    func change(_ body: (inout State) -> Void) {
        let deeds = state.withLock { state in
            body(&state)
            return state.settle()
        }
        for deed in deeds { deed() }
    }
}
