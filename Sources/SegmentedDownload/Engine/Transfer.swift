internal import CSegdlShims
internal import SegmentedDownloadCore

/// Told what happens to a transfer, always on the thread of the worker that drives it.
protocol TransferOwner: AnyObject, Sendable {
    /// What to do with an answer, before a byte of its body is taken.
    func decide(_ head: ResponseHead, for transfer: Transfer) -> HeadDecision
    /// The answer is held, as ``decide(_:for:)`` asked.
    func transferIsHeld(_ transfer: Transfer, head: ResponseHead)
    /// Bytes came, or were written.
    func transferDidProgress(_ transfer: Transfer)
    /// The answer to ``WorkerCommand/shorten(_:end:)``: where the lease ends now, exactly.
    func transferDidShorten(_ transfer: Transfer, end: Int64)
    /// It is over; the worker holds no handle of it any more.
    func transferDidEnd(_ transfer: Transfer, _ outcome: TransferOutcome)
}

/// One request under way.
///
/// Its owner makes it and hands it to one worker, and reads the mutable parts within the calls above, which that worker makes, or
/// after one that told that it is held or over; what is read then no longer changes.
///
/// Sendable: once it is handed over, only that worker's queue changes anything in it.
final class Transfer: @unchecked Sendable {
    /// Where a body goes.
    enum Body {
        /// Nowhere; a HEAD has none.
        case none
        /// Into memory, at most so many bytes.
        case memory(limit: Int)
        /// Into the part file.
        case file(RangeWriter)
    }

    /// Why the write callback holds a body back.
    enum Pause {
        /// The owner decides later.
        case held
        /// Too many bytes wait for the disk.
        case disk
        /// The limit on the session's rate.
        case rate
    }

    /// What the limit on the session's rate lets a transfer take.
    struct Allowance {
        /// Body bytes that it may take before its worker gives it more. It ends below 0 where libcurl brings more at once.
        var left = Int64.max
        /// Body bytes that came since the worker last counted them, those of answers that are thrown away included.
        var taken: Int64 = 0
        /// The receive buffer of a socket that is opened for it.
        var socketBuffer = SocketBuffer.adapting
    }

    /// How large a socket's receive buffer is in the kernel.
    enum SocketBuffer: Equatable {
        /// Small at first; the kernel has it grow with what a round trip brings.
        case adapting
        /// The same, but of so many bytes at first.
        case roomy(Int32)
        /// So many bytes, and never more.
        case limited(Int32)
    }

    /// Why the write callback ended a transfer.
    enum Stop {
        case rejected(Rejection)
        case atEnd
        case fileError(Errno)
        case heldBytesDiffer
        case endlessHead
    }

    /// The sockets that libcurl opens for it.
    struct Sockets {
        /// What stands in for the first one to the same address, where it has connected by then.
        var ready: ReadySocket?
        /// Where those lead to that it has opened itself, where ``Transfer/onConnect`` is to be told.
        var addresses: [SocketAddress] = []
        /// Whether the one that libcurl was just given is connected.
        var isConnected = false
    }

    /// Told that a TCP connection was made for a transfer, where it leads to, and how long that took; on the worker's thread,
    /// before the request is sent.
    typealias OnConnect = @Sendable (Transfer, SocketAddress, Duration) -> Void

    /// The connection that carries it, 0 up to the session's jobs - 1.
    let connection: Int
    let request: TransferRequest
    /// Names the lease that it fetches; `nil` for a probe or a sample.
    let lease: LeaseID?
    let owner: any TransferOwner
    let body: Body
    /// `nil` where nobody wants to know.
    let onConnect: OnConnect?

    /// The answer's head, once its first body byte came or it ended.
    private(set) var head: ResponseHead?
    /// Where the answer says that its body ends, as an offset in the resource.
    private(set) var promisedEnd: Int64?
    /// Set by the callbacks, which then take nothing more.
    var stop: Stop?
    /// See `Transfer+Bounds`.
    var bounds = Bounds()
    /// Why libcurl holds the body back; `nil` while it flows.
    var pause: Pause?
    var allowance = Allowance()
    var sockets = Sockets()
    /// Body bytes taken so far.
    private(set) var byteCount: Int64 = 0
    /// Whether its owner wants the body collected.
    private(set) var isCollected = false
    /// Whether the answer is held, and its owner has not been told yet, since the body may well end first.
    private(set) var isUntold = false
    /// How it ended, where libcurl ended it.
    private(set) var outcome: TransferOutcome?
    /// What ``Body/memory(limit:)`` collected.
    private(set) var collected: [UInt8] = []
    /// The cookies that the handle was loaded with, as lines.
    var loadedCookies: [String] = []
    /// Set while libcurl drives it.
    var easy: UnsafeMutableRawPointer?
    /// Is told of the sockets that are opened for it; `nil` where nobody counts what arrives.
    var socketTable: SocketTable?
    var report = ProgressReport()

    /// What the worker remembers between two turns of its loop.
    struct ProgressReport {
        var byteCount: Int64 = 0
        var written: Int64 = -1
        /// How long it was polled without a byte.
        var silence = Duration.zero
        var sinceReport = Duration.zero
        /// How long an answer has been held of which its owner does not know.
        var untold = Duration.zero
        /// How long it was polled since bytes were last handed to the kernel.
        var sinceWrite = Duration.zero
    }

    init(
        connection: Int,
        request: TransferRequest,
        lease: LeaseID? = nil,
        owner: any TransferOwner,
        body: Body,
        onConnect: OnConnect? = nil
    ) {
        self.connection = connection
        self.request = request
        self.lease = lease
        self.owner = owner
        self.body = body
        self.onConnect = onConnect
    }

    /// Whether the request opened a TCP connection of its own; to be asked by the worker.
    var openedConnection: Bool {
        var count = 0
        guard let easy else { return false }
        return segdl_easy_get_num_connects(easy, &count) == CURLE_OK && count > 0
    }

    /// The writer of a body that goes into the part file.
    var writer: RangeWriter? {
        if case .file(let writer) = body { writer } else { nil }
    }
}

// MARK: - On the worker's queue

extension Transfer {
    /// What the write callback returns to end the transfer: less than it was given.
    private static let abort = 0
    private static let pauseCode = Int(CURL_WRITEFUNC_PAUSE)

    /// libcurl's write callback.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
        let answer = take(bytes)
        if answer == Self.abort, let easy { forbidReuse(of: easy) }
        guard answer != Self.pauseCode else { return answer }
        allowance.left -= Int64(bytes.count)
        allowance.taken += Int64(bytes.count)
        return answer
    }

    private func take(_ bytes: UnsafeRawBufferPointer) -> Int {
        // libcurl goes on delivering after an error within curl_easy_pause (7.88, measured).
        guard stop == nil else { return Self.abort }
        if head == nil, let answer = judgeHead() {
            if pause == .held { tellHeld() }
            return answer
        }
        guard allowance.left > 0 else {
            pause = .rate
            return Self.pauseCode
        }
        switch body {
        case .none: break
        case .memory(let limit):
            let promised = promisedEnd.map { Int(clamping: $0 - (request.range?.lowerBound ?? 0)) }
            guard collected.count + bytes.count <= min(limit, promised ?? limit) else {
                stop = .atEnd
                return Self.abort
            }
            collected.append(contentsOf: bytes)
        case .file(let writer):
            if let answer = write(bytes, to: writer) { return answer }
        }
        byteCount += Int64(bytes.count)
        return bytes.count
    }

    /// - Returns: What the callback returns where the bytes were not all taken.
    private func write(_ bytes: UnsafeRawBufferPointer, to writer: RangeWriter) -> Int? {
        let start = writer.received
        switch writer.receive(bytes) {
        case .taken: return nil
        case .mustPause:
            pause = .disk
            return Self.pauseCode
        case .atEnd: stop = .atEnd
        case .failed(let errno): stop = .fileError(errno)
        case .differs: stop = .heldBytesDiffer
        }
        byteCount += max(0, writer.received - start)
        return Self.abort
    }

    /// Judges the head, once; at the first body byte, since trailers and interim answers would look like it earlier.
    ///
    /// - Returns: What the callback returns where no byte is to be taken now.
    private func judgeHead() -> Int? {
        guard let easy else { return Self.abort }
        let head = responseHead(of: easy)
        self.head = head
        if setsCookies(easy) { request.cookieJar.takeOver(from: loadedCookies, to: cookieLines(of: easy)) }
        switch owner.decide(head, for: self) {
        case .accept(let end):
            promisedEnd = end
            if let end { writer?.limit = end }
            return nil
        case .pause(let end):
            promisedEnd = end
            pause = .held
            return Self.pauseCode
        case .collect(let end):
            promisedEnd = end
            collected.reserveCapacity(Int(clamping: end))
            isCollected = true
            isUntold = true
            return nil
        case .reject(let rejection):
            stop = .rejected(rejection)
            return Self.abort
        }
    }

    /// Tells the owner that the answer is held.
    func tellHeld() {
        isUntold = false
        if let head { owner.transferIsHeld(self, head: head) }
    }

    /// What libcurl's end of the transfer means. Judges an answer without a body, and flushes.
    func finish(_ error: CurlError?) -> TransferOutcome {
        let outcome = outcome(error)
        self.outcome = outcome
        return outcome
    }

    private func outcome(_ error: CurlError?) -> TransferOutcome {
        // Without a body there was no callback. There is nothing to hold then: the owner finds it ended.
        if error == nil, head == nil { _ = judgeHead() }
        if let failure = writer?.flush() { return .init(failure) }
        switch stop {
        case .rejected(let rejection): return .rejected(rejection)
        case .fileError(let errno): return .fileError(errno)
        case .heldBytesDiffer: return .heldBytesDiffer
        case .endlessHead: return .rejected(.endlessHead)
        case .atEnd: return ending
        case nil: return error.map { $0.isAboutLength ? .rejected(.endlessHead) : .failed($0) } ?? ending
        }
    }

    /// How a body ended that came in order, or that was cut because it went on beyond its end.
    private var ending: TransferOutcome {
        guard let head else { return .bodyTooShort }
        let received = writer?.received ?? byteCount + (head.status == 206 ? request.range?.lowerBound ?? 0 : 0)
        let end = writer?.end ?? .max
        if let promisedEnd, request.method == .get, received < min(promisedEnd, end) { return .bodyTooShort }
        if promisedEnd.map({ $0 > end }) ?? false { return .cutShort }
        // Bytes beyond the end that the answer itself promised: nothing that it said can be relied on.
        return stop == nil ? .completed(head) : .rejected(.contradictoryLength)
    }

    /// Hands to the kernel what a transfer collected whose answer this one takes over.
    ///
    /// - Returns: Why that failed, or `nil`.
    func takeOver(from held: Transfer) -> TransferOutcome? {
        guard let writer, !held.collected.isEmpty else { return nil }
        byteCount += Int64(held.collected.count)
        return writer.write(held.collected).map { .init($0) }
    }

    /// The same answer, taken over: an owner that held it knows now where its body goes.
    func handedOver(lease: LeaseID?, to owner: any TransferOwner, body: Body, promisedEnd: Int64?) -> Transfer {
        let next = Transfer(connection: connection, request: request, lease: lease, owner: owner, body: body)
        next.head = head
        next.promisedEnd = promisedEnd
        if let promisedEnd { next.writer?.limit = promisedEnd }
        return next
    }
}
