import Dispatch
import SegdlCommand
import SegmentedDownload
import SegmentedDownloadTestSupport

/// A session whose downloads end as the test says, with room for so many at once.
final class FakeSession: Sendable {
    typealias Outcome = RunningDownload.Outcome

    struct Started: Sendable {
        let request: DownloadRequest
        let onEvent: @Sendable (DownloadEvent) -> Void
        var body: (@Sendable (Outcome) -> Void)?
        var outcome: Outcome?
    }

    struct State: Sendable {
        var started: [Started] = []
        var isCancelled = false
        var greatestOpenCount = 0
        var openCount = 0
    }

    /// Counted as they change: some tests start thousands.
    let state = Monitor(State())
    private let room: Int
    private let onStart: @Sendable (FakeSession, Int) -> Void

    /// - Parameters:
    ///   - room: How many downloads may be open.
    ///   - onStart: Told of each download by its index; may end it.
    init(room: Int = 1, onStart: @escaping @Sendable (FakeSession, Int) -> Void) {
        self.room = room
        self.onStart = onStart
    }

    var requests: [DownloadRequest] { state.read { $0.started.map(\.request) } }

    /// Ends a download.
    func end(_ index: Int, _ outcome: Outcome) {
        let body = state.withLock { state in
            state.started[index].outcome = outcome
            state.openCount -= 1
            // Who waits holds the session, too.
            defer { state.started[index].body = nil }
            return state.started[index].body
        }
        body?(outcome)
    }

    var session: RunningSession {
        RunningSession(
            start: { request, onEvent in self.start(request, onEvent) },
            waitForRoom: {
                let hasRoom = self.state.wait(timeout: .seconds(60)) { $0.isCancelled || $0.openCount < self.room }
                return hasRoom && !self.state.read { $0.isCancelled }
            },
            cancel: { self.cancel() }
        )
    }

    private func start(
        _ request: DownloadRequest,
        _ onEvent: @escaping @Sendable (DownloadEvent) -> Void
    ) -> RunningDownload {
        let index = state.withLock { state in
            state.started.append(Started(request: request, onEvent: onEvent))
            state.openCount += 1
            state.greatestOpenCount = max(state.greatestOpenCount, state.openCount)
            return state.started.count - 1
        }
        onStart(self, index)
        return RunningDownload(
            progress: { progress() },
            segmentMap: { Array(repeating: 1, count: $0) },
            whenEnded: { body in
                let outcome = self.state.withLock { state in
                    let outcome = state.started[index].outcome
                    if outcome == nil { state.started[index].body = body }
                    return outcome
                }
                if let outcome { body(outcome) }
            }
        )
    }

    private func cancel() {
        let open = state.withLock { state in
            state.isCancelled = true
            return state.started.indices.filter { state.started[$0].outcome == nil }
        }
        for index in open { end(index, .failure(DownloadError(.cancelled, "Cancelled."))) }
    }
}
