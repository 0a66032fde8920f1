internal import SegmentedDownloadLocking

/// The TCP connections that are opened for a download's segments while HEAD is under way: far from the server they would cost a
/// round trip more if they waited for its answer.
///
/// A socket has one owner: this, then the transfer that was given it, then libcurl. Whoever drops it closes it. The worker
/// opens them, the download's queue takes and closes them.
final class Preconnections: Sendable {
    private struct State {
        var sockets: [ReadySocket] = []
        /// The connection that carries HEAD: its TCP connection stands.
        var connection: Int?
    }

    private let state = Locked(State())

    /// Begins to open TCP connections, and returns at once.
    ///
    /// - Parameters:
    ///   - count: How many; fewer where the system has no more sockets.
    ///   - transfer: HEAD's, whose own TCP connection leads there.
    func open(_ count: Int, to address: SocketAddress, beside transfer: Transfer) {
        var sockets: [ReadySocket] = []
        for _ in 0..<count {
            guard let socket = ReadySocket(to: address, buffer: transfer.allowance.socketBuffer) else { break }
            sockets.append(socket)
        }
        state.withLock { [sockets] in $0 = State(sockets: sockets, connection: transfer.connection) }
    }

    /// Takes a socket for the next request of a connection; `nil` where there is none, or its TCP connection stands.
    func take(for connection: Int) -> ReadySocket? {
        state.withLock { $0.connection == connection ? nil : $0.sockets.popLast() }
    }

    /// Closes those that nobody has taken.
    func close() {
        state.withLock { $0.sockets = [] }
    }
}
