internal import SegmentedDownloadCore

/// Puts a lease's bytes into the part file: gathers libcurl's 16 KiB pieces and hands them to the kernel in large
/// `pwrite`s. Confined to the worker of its connection; allocates nothing and locks nothing.
final class RangeWriter {
    /// What became of a piece of body.
    enum Verdict {
        /// All of it was taken.
        case taken
        /// None of it was taken: too much waits for the disk.
        case mustPause
        /// The end was reached; what lay beyond was not taken.
        case atEnd
        /// A `pwrite` failed.
        case failed(Errno)
        /// A stream brought other bytes than those held.
        case differs
    }

    /// What handing bytes to the kernel came to, where it failed.
    enum Failure {
        case file(Errno)
        case heldBytesDiffer
    }

    private let file: PartFile
    private let keeper: JournalKeeper?
    private let held: HeldBytes?
    /// Where the body ends; the worker moves it nearer when the scheduler asks.
    var end: Int64
    /// Where the answer said that its body ends: nothing beyond is taken, even where ``end`` is farther.
    var limit = Int64.max
    /// Bytes below this offset have come.
    private(set) var received: Int64
    /// Bytes below this offset were handed to the kernel.
    private(set) var written: Int64
    /// Lent by the connection for as long as this writer is attached to it.
    private var buffer = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    /// - Parameter held: What is compared instead of written; `nil` where nothing of the range is held.
    init(file: PartFile, keeper: JournalKeeper?, range: Range<Int64>, held: HeldBytes? = nil) {
        self.file = file
        self.keeper = keeper
        self.held = held
        end = range.upperBound
        received = range.lowerBound
        written = range.lowerBound
    }

    func attach(_ buffer: UnsafeMutableRawBufferPointer) {
        self.buffer = buffer
    }

    /// Takes a piece of body; called from libcurl's write callback.
    @inline(__always)
    func receive(_ bytes: UnsafeRawBufferPointer) -> Verdict {
        if let keeper, keeper.mustPause { return .mustPause }
        let count = min(bytes.count, Int(clamping: min(end, limit) - received))
        var taken = 0
        while taken < count {
            let gathered = Int(received - written)
            // Up to a multiple of the buffer's size in the file, so that full writes are aligned and end segments.
            let room = buffer.count - Int(written % Int64(buffer.count)) - gathered
            let piece = min(count - taken, room)
            let source = UnsafeRawBufferPointer(rebasing: bytes[taken..<taken + piece])
            UnsafeMutableRawBufferPointer(rebasing: buffer[gathered..<gathered + piece]).copyMemory(from: source)
            taken += piece
            received += Int64(piece)
            if piece == room, let failure = flush() {
                switch failure {
                case .file(let errno): return .failed(errno)
                case .heldBytesDiffer: return .differs
                }
            }
        }
        return count < bytes.count ? .atEnd : .taken
    }

    /// Hands what was gathered to the kernel.
    ///
    /// - Returns: Why it failed, or `nil`. After a failure the bytes count as not received.
    func flush() -> Failure? {
        let gathered = Int(received - written)
        guard gathered > 0 else { return nil }
        return pass(UnsafeRawBufferPointer(rebasing: buffer[..<gathered]))
    }

    /// Hands bytes to the kernel that came before there was a buffer, the first of all.
    ///
    /// - Returns: As ``flush()``.
    func write(_ bytes: [UInt8]) -> Failure? {
        received += Int64(bytes.count)
        return bytes.withUnsafeBytes { pass($0) }
    }

    private func pass(_ bytes: UnsafeRawBufferPointer) -> Failure? {
        do throws(Errno) {
            guard let held else {
                try file.write(bytes, at: written)
                written = received
                return nil
            }
            guard try held.pass(bytes, at: written) else {
                received = written
                return .heldBytesDiffer
            }
            written = received
            return nil
        } catch {
            received = written
            return .file(error)
        }
    }
}
