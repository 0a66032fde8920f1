internal import SegmentedDownloadLocking
import Dispatch
internal import SegmentedDownloadCore

/// A download under way, made by ``Session/start(_:onEvent:)``. All members may be called from any thread.
public final class Download: Sendable {
    private let control: DownloadControl
    private let transfer = Locked<SegmentedTransfer?>(nil)
    private let result = Locked<Result<DownloadReport, DownloadError>?>(nil)
    private let ended = DispatchGroup()
    /// Of its own: a download blocks where it waits.
    private let queue = DispatchQueue(label: "segdl.download")

    init(
        hosts: HostRecords,
        allotment: ConnectionAllotment,
        onEvent: @escaping @Sendable (DownloadEvent) -> Void
    ) {
        control = DownloadControl(hosts: hosts, allotment: allotment, onEvent: onEvent)
        ended.enter()
    }

    /// Lets the budget say when its turn has come.
    ///
    /// - Parameter origin: The host that it talks to first; `nil` where the URL makes no sense.
    func admit(to budget: ConnectionBudget, origin: String?, open: @escaping @Sendable () -> Void) {
        budget.admit(control.allotment, origin: origin, onGrant: { [control] in control.signal() }, open: open)
    }

    /// Does the download on its queue, and then what is left to do.
    func run(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

    /// Does the download; on its queue.
    ///
    /// - Parameter isPathFree: Whether the path that the request names was free; `nil` where it names none.
    func run(
        _ request: DownloadRequest,
        isPathFree: Bool?,
        options: SessionOptions,
        pool: WorkerPool,
        access: SessionAccess
    ) {
        let outcome: Result<DownloadReport, DownloadError>
        do throws(DownloadError) {
            try control.checkCancelled()
            let job = try DownloadJob(
                request,
                isPathFree: isPathFree,
                options: options,
                pool: pool,
                access: access,
                control: control
            ) { [transfer] current in
                transfer.withLock { $0 = current }
            }
            outcome = .success(try job.run())
        } catch {
            outcome = .failure(error)
        }
        control.preconnections.close()
        control.allotment.end()
        control.counters.enter(.ended)
        transfer.withLock { $0 = nil }
        result.withLock { $0 = outcome }
        ended.leave()
    }

    /// A snapshot, cheap enough for a display's timer.
    public var progress: DownloadProgress { control.counters.snapshot }

    /// How much of the file is finished, in equal cells from its start to its end, each 0 to 1. Empty where the
    /// length is unknown, and before and after the transfer.
    ///
    /// - Parameter cellCount: The number of cells, at least 1.
    public func segmentMap(cellCount: Int) -> [Double] {
        transfer.withLock { $0 }?.ledger.map(cellCount: cellCount) ?? []
    }

    /// Ends the download in order: connections are closed, what came is written, the journal is made safe.
    /// ``wait()`` then throws an error of the kind ``DownloadError/Kind/cancelled``; a download that waits for its turn
    /// ends when that has come.
    public func cancel() { control.cancel() }

    /// Blocks the calling thread until the download has ended. Not to be called by `onEvent`.
    ///
    /// - Returns: How it ended.
    /// - Throws: Why it failed.
    public func wait() throws(DownloadError) -> DownloadReport {
        ended.wait()
        return try outcome()
    }

    /// As ``wait()``, without blocking a thread. Cancelling the task cancels the download.
    ///
    /// - Returns: How it ended.
    /// - Throws: Why it failed.
    public func report() async throws(DownloadError) -> DownloadReport {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                ended.notify(queue: queue) { continuation.resume() }
            }
        } onCancel: {
            cancel()
        }
        return try outcome()
    }

    /// Says what to do when the download has ended: called once, on a queue of the library's.
    public func whenEnded(_ body: @escaping @Sendable (Result<DownloadReport, DownloadError>) -> Void) {
        // The thread that has done the download is still there: another one would have to be woken.
        ended.notify(queue: queue) { [result] in
            if let result = result.withLock({ $0 }) { body(result) }
        }
    }

    private func outcome() throws(DownloadError) -> DownloadReport {
        guard let result = result.withLock({ $0 }) else {
            throw DownloadError(.other, "The download has not ended.")
        }
        return try result.get()
    }
}
