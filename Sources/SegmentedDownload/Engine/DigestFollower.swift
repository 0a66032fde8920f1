internal import SegmentedDownloadLocking
internal import Dispatch
internal import SegmentedDownloadCore

/// Hashes a part file behind its contiguous frontier while the rest still arrives, on a queue of its own.
final class DigestFollower: Sendable {
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

    /// What the queue works on. Its lock is held for as long as a block works, and taken before that of ``state``.
    private struct Work {
        var position: Int64 = 0
        var digest: MessageDigest?
        var buffer = [UInt8](repeating: 0, count: 256 * Int(KiB))
    }

    private let file: PartFile
    private let algorithm: Checksum.Algorithm
    private let control: DownloadControl
    private let queue = DispatchQueue(label: "segdl.digest")
    private let state = Locked(State())
    private let work = Locked(Work())

    init(_ file: PartFile, _ algorithm: Checksum.Algorithm, control: DownloadControl) {
        self.file = file
        self.algorithm = algorithm
        self.control = control
    }

    /// Bytes below an offset are written and stay as they are. Any thread, as soon as it is so: what is told late is
    /// hashed when there is nothing else to wait for. An offset that is no farther than an earlier one says nothing.
    func advance(to frontier: Int64) {
        update { state in
            guard frontier > state.frontier else { return false }
            state.frontier = frontier
            return true
        }
    }

    /// Bytes below this offset are hashed, and not read again.
    var hashedByteCount: Int64 { control.counters.hashedByteCount }

    /// What was hashed is written anew: begins again at 0. Nothing may be under way that advances it.
    func restart() {
        state.withLock { state in
            state.frontier = 0
            state.length = nil
        }
        // Behind a block that still works, and finds nothing more to do.
        work.withLock { work in
            work.position = 0
            work.digest = nil
            control.counters.setHashed(0)
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
            return true
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

    /// - Parameter change: Returns whether there may be something new to do.
    private func update(_ change: (inout State) -> Bool) {
        let starts = state.withLock { state in
            guard change(&state), !state.isRunning, !state.isCancelled, state.outcome == nil else { return false }
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
        let hasEnded = work.withLock { work in
            let outcome: Result<[UInt8], DownloadError>
            do throws(DownloadError) {
                guard let digest = try follow(&work) else { return false }
                outcome = .success(digest)
            } catch {
                outcome = .failure(error)
            }
            // Before `restart()` gets the work's lock, which forgets it.
            state.withLock { state in
                state.outcome = outcome
                state.isRunning = false
            }
            return true
        }
        if hasEnded { control.signal() }
    }

    /// - Returns: The digest, once all is hashed; `nil` where there is nothing more to do for now.
    private func follow(_ work: inout Work) throws(DownloadError) -> [UInt8]? {
        while true {
            switch nextStep(work.position, blockSize: Int64(work.buffer.count)) {
            case .hash(let range): try hash(range, &work)
            case .conclude: return try currentDigest(&work).finish()
            case .rest: return nil
            }
        }
    }

    private func nextStep(_ position: Int64, blockSize: Int64) -> Step {
        state.withLock { state in
            if state.outcome == nil, !state.isCancelled {
                if position < state.frontier {
                    return .hash(position..<min(position + blockSize, state.frontier))
                }
                if position == state.length { return .conclude }
            }
            state.isRunning = false
            return .rest
        }
    }

    private func hash(_ range: Range<Int64>, _ work: inout Work) throws(DownloadError) {
        let digest = try currentDigest(&work)
        let byteCount = Int(range.upperBound - range.lowerBound)
        try work.buffer.withUnsafeMutableBufferPointer { buffer throws(DownloadError) in
            let piece = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<byteCount])
            let count: Int
            do throws(Errno) {
                count = try file.read(into: piece, at: range.lowerBound)
            } catch {
                throw error.localFileError("Could not read", path: file.path)
            }
            guard count == byteCount else {
                throw DownloadError(
                    .localFile,
                    "'\(file.path)' was cut short by another program; run the command again."
                )
            }
            try digest.update(UnsafeRawBufferPointer(piece))
        }
        work.position = range.upperBound
        control.counters.setHashed(range.upperBound)
    }

    private func currentDigest(_ work: inout Work) throws(DownloadError) -> MessageDigest {
        if let digest = work.digest { return digest }
        let digest = try MessageDigest(algorithm)
        work.digest = digest
        return digest
    }
}
