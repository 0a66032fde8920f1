import Foundation

/// The server's end of a connection: blocking calls, each failure sorted into "the client did it" and the rest.
struct ClientSocket {
    /// The client has closed or reset the connection, or the server was stopped.
    struct Disconnected: Error {}

    /// What ended a wait.
    enum Waking {
        case timeout
        case gate
    }

    let fd: Int32

    /// Reads what has come, at least a byte.
    ///
    /// - Throws: `Disconnected`, or a sentence.
    func receive(into buffer: inout [UInt8]) throws {
        var chunk = [UInt8](repeating: 0, count: 8192)
        let count = try translate { try check("recv") { recv(fd, &chunk, chunk.count, 0) } }
        if count == 0 { throw Disconnected() }
        buffer += chunk[..<count]
    }

    /// Sends all bytes, and blocks until the kernel has taken them.
    func sendAll(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes
        while !rest.isEmpty {
            let count = try translate { try check("send") { send(fd, rest.baseAddress, rest.count, Self.sendFlags) } }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    /// Sends all bytes of an array.
    func sendAll(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { try sendAll($0) }
    }

    /// Sends all bytes, one by one where there is an interval.
    func sendAll(_ bytes: [UInt8], interval: Duration) throws {
        guard interval > .zero else { return try sendAll(bytes) }
        for byte in bytes {
            _ = try wait(timeout: interval, gate: nil)
            try sendAll([byte])
        }
    }

    /// Sends `head`, and then `repeated` again and again.
    ///
    /// - Throws: `Disconnected` when the client goes away.
    func sendEndlessly(head: String, repeated: String) throws {
        try sendAll(Array(head.utf8))
        precondition(!repeated.isEmpty)
        var pieces = Array(repeated.utf8)
        // Not byte by byte: each step of a joined sequence takes a lock of Swift's run-time library that all threads share.
        // Hundreds of connections that waited for it came faster than they went.
        while pieces.count < 65_536 { pieces += pieces }
        while true { try sendAll(pieces) }
    }

    /// Waits until the time is up, or a gate is opened.
    ///
    /// - Parameters:
    ///   - timeout: How long; nil for ever.
    ///   - gate: What else ends the wait.
    /// - Returns: What ended the wait.
    /// - Throws: `Disconnected` where the client goes away meanwhile.
    func wait(timeout: Duration?, gate: Gate?) throws -> Waking {
        let deadline = timeout.map { ContinuousClock.now + $0 }
        var watched = Int16(POLLIN)
        while true {
            var set = [pollfd(fd: fd, events: watched, revents: 0)]
            if let gate { set.append(pollfd(fd: gate.readEnd, events: Int16(POLLIN), revents: 0)) }
            let left = deadline.map { Self.milliseconds(until: $0) } ?? -1
            if try check("poll", { poll(&set, nfds_t(set.count), left) }) == 0 { return .timeout }
            if set[0].revents != 0 {
                if set[0].revents & Int16(POLLHUP | POLLERR) != 0 || !isOpen { throw Disconnected() }
                // A request that is pipelined keeps the socket readable: from now on only look for its end.
                watched = 0
            }
            if set.count > 1 && set[1].revents != 0 { return .gate }
        }
    }

    /// Waits until the client's kernel has acknowledged everything: a reset throws away what is still to be sent.
    func drain() throws {
        #if os(Linux)
            let SIOCOUTQ: UInt = 0x5411  // linux/sockios.h; not visible to Swift
            var unsent: Int32 = 1
            // The kernel has no event for an emptied send queue.
            for _ in 0..<2000 {
                try check("ioctl SIOCOUTQ") { ioctl(fd, SIOCOUTQ, &unsent) }
                if unsent == 0 { return }
                _ = try wait(timeout: .milliseconds(1), gate: nil)
            }
        #endif
    }

    /// Makes the next `close` send RST instead of FIN.
    func resetOnClose() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    }

    private var isOpen: Bool {
        var byte: UInt8 = 0
        return recv(fd, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
    }

    private func translate<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as TestSupportError {
            if let code = error.code, Self.disconnections.contains(code) { throw Disconnected() }
            throw error
        }
    }

    private static func milliseconds(until deadline: ContinuousClock.Instant) -> Int32 {
        Int32(min(max(0, ((deadline - .now).inSeconds * 1000).rounded(.up)), 1e6))
    }

    private static let disconnections: Set<Int32> = [EPIPE, ECONNRESET, ENOTCONN, ETIMEDOUT]

    #if os(Linux)
        private static let sendFlags = Int32(MSG_NOSIGNAL)
    #else
        // macOS has no such flag; the listener sets SO_NOSIGPIPE, which accepted sockets inherit.
        private static let sendFlags: Int32 = 0
    #endif
}
