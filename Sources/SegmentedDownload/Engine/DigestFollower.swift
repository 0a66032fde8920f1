internal import SegmentedDownloadLocking
internal import Dispatch
internal import SegmentedDownloadCore

/// Hashes a part file behind its contiguous frontier while the rest still arrives, on a queue of its own.
///
/// Sendable: digest, position and buffer are touched on the queue only, the rest is behind a lock.
final class DigestFollower: @unchecked Sendable {
    private struct State {
        /// Bytes below this offset are written and stay as they are.
        var frontier: Int64 = 0
        /// The file's length, once all of it is there.
        var length: Int64?
        /// Whether the queue has a block that looks at all this once more before it ends.
        var isRunning = false
        var isCancelled = false
        var outcome: Result<[UInt8], DownloadError>?
    }

    private let file: PartFile
    private let algorithm: Checksum.Algorithm
    private let control: DownloadControl
    private let queue = DispatchQueue(label: "segdl.digest", qos: .utility)
    private let state = Locked(State())
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * Int(KiB), alignment: 4096)
    private var position: Int64 = 0
    private var digest: MessageDigest?

    init(_ file: PartFile, _ algorithm: Checksum.Algorithm, control: DownloadControl) {
        self.file = file
        self.algorithm = algorithm
        self.control = control
    }

    deinit { buffer.deallocate() }

    /// Bytes below an offset are written and stay as they are. Any thread; an offset below an earlier one says nothing.
    func advance(to frontier: Int64) {
        update { $0.frontier = max($0.frontier, frontier) }
    }

    /// What was hashed is written anew: begins again at 0. Nothing may be under way that advances it.
    func restart() {
        state.withLock { state in
            state.frontier = 0
            state.length = nil
        }
        // Behind a block that still runs, and finds nothing to do.
        queue.sync {
            position = 0
            digest = nil
        }
        state.withLock { $0.outcome = nil }
    }

    /// Hashes what is left. Blocks the download's queue for as long as that takes; called again, it tells the same.
    ///
    /// - Parameter length: The file's length in bytes, all of which are written.
    /// - Returns: The digest.
    /// - Throws: `localFile`; `other` where OpenSSL lacks the algorithm; `cancelled`.
    func finish(length: Int64) throws(DownloadError) -> [UInt8] {
        update { state in
            state.frontier = length
            state.length = length
        }
        while true {
            if let outcome = state.withLock({ $0.outcome }) { return try outcome.get() }
            try control.checkCancelled()
            control.wait(upTo: nil)
        }
    }

    /// Ends it soon, without a result.
    func cancel() {
        state.withLock { $0.isCancelled = true }
    }

    private func update(_ change: (inout State) -> Void) {
        let starts = state.withLock { state in
            change(&state)
            guard !state.isRunning, !state.isCancelled, state.outcome == nil else { return false }
            state.isRunning = true
            return true
        }
        if starts { queue.async { self.follow() } }
    }
}

// MARK: - On the queue

extension DigestFollower {
    private enum Step {
        case hash(Range<Int64>)
        case conclude
        /// The next change starts another block.
        case rest
    }

    private func follow() {
        while true {
            switch nextStep() {
            case .hash(let range):
                do throws(DownloadError) {
                    try hash(range)
                } catch {
                    return end(.failure(error))
                }
            case .conclude: return conclude()
            case .rest: return
            }
        }
    }

    private func nextStep() -> Step {
        state.withLock { state in
            if state.outcome == nil, !state.isCancelled {
                if position < state.frontier {
                    return .hash(position..<min(position + Int64(buffer.count), state.frontier))
                }
                if position == state.length { return .conclude }
            }
            state.isRunning = false
            return .rest
        }
    }

    private func conclude() {
        do throws(DownloadError) {
            end(.success(try currentDigest().finish()))
        } catch {
            end(.failure(error))
        }
    }

    private func end(_ outcome: Result<[UInt8], DownloadError>) {
        digest = nil
        state.withLock { state in
            state.outcome = outcome
            state.isRunning = false
        }
        control.signal()
    }

    private func hash(_ range: Range<Int64>) throws(DownloadError) {
        let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(range.upperBound - range.lowerBound)])
        let count: Int
        do throws(Errno) {
            count = try file.read(into: piece, at: range.lowerBound)
        } catch {
            throw error.localFileError("Could not read", path: file.path)
        }
        guard count == piece.count else {
            throw DownloadError(.localFile, "'\(file.path)' was cut short by another program; run the command again.")
        }
        try currentDigest().update(UnsafeRawBufferPointer(piece))
        position = range.upperBound
    }

    private func currentDigest() throws(DownloadError) -> MessageDigest {
        if let digest { return digest }
        let digest = try MessageDigest(algorithm)
        self.digest = digest
        return digest
    }
}
