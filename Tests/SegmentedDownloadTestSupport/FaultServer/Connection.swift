import Foundation

/// One connection of a server, served by its own thread until it ends.
struct Connection {
    /// Why no further request is read from the connection.
    private struct Closed: Error {
        let end: RequestRecord.End
        var isReset = false
    }

    let socket: ClientSocket
    let number: Int
    let state: Monitor<ServerState>
    let serverStart: ContinuousClock.Instant

    private var received: [UInt8] = []
    private var pacer = Pacer()

    init(socket: ClientSocket, number: Int, state: Monitor<ServerState>, serverStart: ContinuousClock.Instant) {
        self.socket = socket
        self.number = number
        self.state = state
        self.serverStart = serverStart
    }

    /// Answers requests until the connection ends. The caller closes the socket.
    mutating func serve() {
        var count = 0
        do {
            while let head = try receiveHead() {
                count += 1
                try answer(try Request(head: head, connection: number, numberOnConnection: count))
            }
        } catch is ClientSocket.Disconnected {
            return
        } catch let closed as Closed {
            if closed.isReset { socket.resetOnClose() }
        } catch {
            state.withLock { if !$0.isStopped { $0.log.failures.append("connection \(number): \(error)") } }
        }
    }

    // MARK: Requests

    private static let maximumHeadLength = 65_536

    private mutating func receiveHead() throws -> [UInt8]? {
        while true {
            if let end = received.firstRange(of: [13, 10, 13, 10])?.upperBound {
                defer { received.removeFirst(end) }
                return Array(received[..<end])
            }
            if received.count > Self.maximumHeadLength { throw TestSupportError("a request's head is too long") }
            do {
                try socket.receive(into: &received)
            } catch is ClientSocket.Disconnected {
                return nil
            }
        }
    }

    private mutating func answer(_ request: Request) throws {
        let begun = state.withLock { $0.begin(request, at: .now - serverStart) }
        do {
            try answer(request, begun)
            finish(begun, .complete)
        } catch let closed as Closed {
            finish(begun, closed.end)
            throw closed
        } catch {
            finish(begun, state.read { $0.isStopped } ? .stopped : .closedByClient)
            throw error
        }
        if begun.behaviour.closesAfterwards { throw Closed(end: .complete) }
    }

    private func finish(_ begun: ServerState.Begun, _ end: RequestRecord.End) {
        state.withLock { $0.end(begun.index, end, at: .now - serverStart) }
    }

    // MARK: Answers

    private mutating func answer(_ request: Request, _ begun: ServerState.Begun) throws {
        switch begun.refusal {
        case .reset: throw Closed(end: .cutByScript, isReset: true)
        case .close: throw Closed(end: .cutByScript)
        case .silence:
            try awaitRelease()
            throw Closed(end: .cutByScript)
        case .status, .page, nil: break
        }
        let behaviour = begun.behaviour
        if behaviour.delay > .zero { _ = try socket.wait(timeout: behaviour.delay, gate: nil) }
        if behaviour.awaitsRelease { try awaitRelease() }
        switch behaviour.answer {
        case .http: break
        case .close: throw Closed(end: .cutByScript)
        case .reset: throw Closed(end: .cutByScript, isReset: true)
        case .silence:
            try awaitRelease()
            throw Closed(end: .cutByScript)
        case .raw(let bytes):
            try socket.sendAll(bytes)
            throw Closed(end: .complete)
        case .endless(let head, let repeated):
            try socket.sendEndlessly(head: head, repeated: repeated)
        }
        state.withLock { $0.log.requests[begun.index].status = begun.response.status }
        if let hints = behaviour.earlyHints {
            try socket.sendAll(Array("HTTP/1.1 103 Early Hints\r\n\(hints.wireText)\r\n".utf8))
        }
        try socket.sendAll(begun.response.head, interval: behaviour.headInterval)
        if request.method != "HEAD" { try sendBody(begun) }
    }

    private mutating func sendBody(_ begun: ServerState.Begun) throws {
        let behaviour = begun.behaviour
        var sent: Int64 = 0
        pacer.begin()
        for (index, part) in begun.response.parts.enumerated() {
            if behaviour.surplusBytes > 0, index > 0, behaviour.surplusDelay > .zero {
                _ = try socket.wait(timeout: behaviour.surplusDelay, gate: nil)
            }
            var offset: Int64 = 0
            while offset < part.length {
                let count = try sendPiece(of: part, from: offset, afterBodyBytes: sent, begun)
                offset += count
                sent += count
            }
        }
        try obey(behaviour, afterBodyBytes: sent)
        if begun.response.isChunked, case .chunked = behaviour.framing {
            try socket.sendAll(Array("0\r\n\(behaviour.trailers.wireText)\r\n".utf8))
        }
    }

    /// Sends the next bytes of a part, at most up to the next place where the script wants something else.
    private mutating func sendPiece(
        of part: Response.Part,
        from offset: Int64,
        afterBodyBytes sent: Int64,
        _ begun: ServerState.Begun
    ) throws -> Int64 {
        let behaviour = begun.behaviour
        try obey(behaviour, afterBodyBytes: sent)
        let limit = min(part.length - offset, behaviour.bytesUntilFault(afterBodyBytes: sent))
        if let rate = behaviour.bytesPerSecond {
            let pause = pacer.pause(before: limit, bytesPerSecond: rate)
            if pause > .zero { _ = try socket.wait(timeout: pause, gate: nil) }
        }
        if let dribble = behaviour.dribble, sent >= dribble.afterBytes {
            _ = try socket.wait(timeout: dribble.interval, gate: nil)
        }
        let isChunked = begun.response.isChunked
        let count = try part.withBytes(from: offset, atMost: limit) { piece in
            if isChunked { try socket.sendAll(Array("\(String(piece.count, radix: 16))\r\n".utf8)) }
            try socket.sendAll(piece)
            if isChunked { try socket.sendAll(Array("\r\n".utf8)) }
            return piece.count
        }
        state.withLock {
            $0.log.requests[begun.index].bodyBytesSent += Int64(count)
            $0.log.bytesSent += Int64(count)
        }
        return Int64(count)
    }

    /// Cuts or stalls where the script says so.
    private func obey(_ behaviour: Behaviour, afterBodyBytes sent: Int64) throws {
        if behaviour.stallAfter == sent { try awaitRelease() }
        guard let cut = behaviour.cut, cut.afterBytes == sent else { return }
        if cut.kind == .reset { try socket.drain() }
        throw Closed(end: .cutByScript, isReset: cut.kind == .reset)
    }

    private func awaitRelease() throws {
        let gate = state.withLock { $0.stall() }
        defer { state.withLock { $0.abandonStall(at: gate) } }
        _ = try socket.wait(timeout: nil, gate: gate)
    }
}

extension Behaviour {
    /// Body bytes that may be sent at once.
    fileprivate func bytesUntilFault(afterBodyBytes sent: Int64) -> Int64 {
        if let dribble, sent >= dribble.afterBytes { return 1 }
        let faults = [cut?.afterBytes, stallAfter, dribble?.afterBytes].compactMap { $0 }.filter { $0 > sent }
            .map { $0 - sent }
        let grain = bytesPerSecond.map(Pacer.grainBytes) ?? .max
        return min(faults.min() ?? .max, grain)
    }

    /// Whether the connection ends after a complete answer.
    fileprivate var closesAfterwards: Bool {
        switch framing {
        case .chunkedUnfinished, .untilClose: true
        case .length, .stated, .chunked: afterwards != .keepAlive
        }
    }
}

extension Response {
    /// Whether the body goes out in chunks.
    fileprivate var isChunked: Bool { fields["Transfer-Encoding"] == "chunked" }
}

extension Response.Part {
    /// Calls `body` with the first bytes from an offset of this part.
    fileprivate func withBytes<Result>(
        from offset: Int64,
        atMost count: Int64,
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        switch self {
        case .content(let content, let range):
            let start = range.lowerBound + offset
            return try content.withBytes(in: start..<start + count, body)
        case .literal(let bytes):
            return try bytes[Int(offset)..<Int(offset + count)].withUnsafeBytes(body)
        }
    }
}
