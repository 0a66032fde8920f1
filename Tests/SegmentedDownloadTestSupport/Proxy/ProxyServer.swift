import Foundation

/// A proxy on loopback, on a free port, that does what its script says and logs what it gets.
///
///     let proxy = try ProxyServer(ProxyScript { $0.credentials = "me:secret" })
///     defer { proxy.stop() }
///     // download through "http://me:secret@\(proxy.authority)"
///     #expect(proxy.requests.allSatisfy { $0.method == "CONNECT" })
///
/// Whatever host is asked for, it connects to that port of loopback: tests name hosts that nobody resolves.
package final class ProxyServer: Sendable {
    struct State {
        var refusals: [Int]
        var requests: [ProxyRequest] = []
        var connectionCount = 0
        var tunnelByteCounts: [Int: Int] = [:]
        var sockets: Set<Int32> = []
        var isStopped = false
    }

    /// Host and port.
    package let authority: String
    private let state: Monitor<State>
    private let stopGate: Gate
    private let threads = ThreadGroup()

    /// Starts a proxy.
    ///
    /// - Throws: A sentence where loopback can't be used.
    package init(_ script: ProxyScript = ProxyScript()) throws {
        let listener = try Listener(address: "127.0.0.1")
        authority = "127.0.0.1:\(listener.port)"
        stopGate = try Gate()
        state = Monitor(State(refusals: script.refusals))
        threads.start { [state, stopGate, threads] in
            while let socket = try? listener.accept(until: stopGate) {
                Self.serve(socket, script, state, threads)
            }
        }
    }

    deinit { stop() }

    /// What it got so far.
    package var requests: [ProxyRequest] { state.read { $0.requests } }

    /// TCP connections accepted so far.
    package var connectionCount: Int { state.read { $0.connectionCount } }

    /// How many bytes of servers each tunnel has carried, by the number of its connection.
    package var tunnelByteCounts: [Int: Int] { state.read { $0.tunnelByteCounts } }

    /// Closes all connections and the port, and returns when all threads have ended.
    package func stop() {
        stopGate.open()
        state.withLock { state in
            state.isStopped = true
            for fd in state.sockets { shutdown(fd, Int32(SHUT_RDWR)) }
        }
        threads.join()
    }

    private static func serve(
        _ socket: ClientSocket,
        _ script: ProxyScript,
        _ state: Monitor<State>,
        _ threads: ThreadGroup
    ) {
        let number = state.withLock { state in
            state.connectionCount += 1
            state.sockets.insert(socket.fd)
            return state.connectionCount
        }
        threads.start {
            var connection = ProxyConnection(
                client: socket,
                number: number,
                peer: peerAddress(of: socket.fd),
                script: script,
                state: state
            )
            connection.serve()
            state.withLock { _ = $0.sockets.remove(socket.fd) }
            close(socket.fd)
        }
    }
}

private func peerAddress(of fd: Int32) -> String {
    var name = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    guard withSocketAddress(&name, { getpeername(fd, $0, &size) }) == 0 else { return "" }
    return String(cString: inet_ntoa(name.sin_addr))
}
