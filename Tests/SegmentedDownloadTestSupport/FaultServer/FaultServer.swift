import Foundation

/// An HTTP/1.1 server inside the test process, on a free port, that does what its script says and logs each request.
///
///     let file = PatternContent(seed: 1, length: 10_000_000)
///     let routes = ["/file": Route(file).on(.ranged, .first(2)) { $0.cut = .after(1000, by: .reset) }]
///     try FaultServer.run(routes) { server in
///         // download server.url("/file") ...
///         #expect(server.log.requests.count == 10)
///     }
///
/// A thread serves each connection with blocking calls. Paths without a route are answered 404. A failure of the server
/// itself, or a client that sends no proper HTTP, is collected, and thrown by ``checkHealthy()`` and at the end of `run`.
/// All members may be called from any thread.
package final class FaultServer: Sendable {
    /// Where the server listens, such as `http://127.0.0.1:41234`.
    package let origin: String
    /// The port.
    package let port: UInt16

    private let state: Monitor<ServerState>
    private let stopGate: Gate
    private let threads: ThreadGroup

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - routes: The script: what is done with requests for a path (without its query).
    ///   - address: An IPv4 address of this machine; all of 127.0.0.0/8 on Linux.
    ///   - port: The port; 0 leaves it to the kernel.
    ///   - maximumConnections: Connections that may be open at once; more are reset when they are accepted.
    ///   - refusesSurplusConnections: Whether nobody listens while as many are open, so that the kernel refuses more.
    /// - Throws: A sentence where the address can't be used.
    package init(
        _ routes: [String: Route],
        address: String = "127.0.0.1",
        port: UInt16 = 0,
        maximumConnections: Int? = nil,
        refusesSurplusConnections: Bool = false
    ) throws {
        let listener = try Listener(address: address, port: port)
        self.port = listener.port
        origin = "http://\(address):\(listener.port)"
        stopGate = try Gate()
        state = Monitor(
            ServerState(
                routes: routes.mapValues(ServerState.ScriptedRoute.init),
                releaseGate: try Gate(),
                maximumConnections: maximumConnections
            )
        )
        threads = ThreadGroup()
        let acceptor = Acceptor(
            listener: listener,
            pausesWhenFull: refusesSurplusConnections,
            stopGate: stopGate,
            state: state,
            threads: threads
        )
        threads.start(acceptor.run)
    }

    deinit {
        stop()
    }

    /// The URL of a path: `server.url("/file?x=1")`.
    package func url(_ path: String) -> String { origin + path }

    /// What happened so far. What a client has just received may not be entered yet: see ``settledLog(timeout:)``.
    package var log: ServerLog { state.read { $0.log } }

    /// All requests so far, in the order of their arrival.
    package var requests: [RequestRecord] { log.requests }

    /// The log once no request is under way: with all bytes and ends entered, where the client has come to its end.
    ///
    /// - Throws: A sentence where a request is still under way after `timeout`.
    package func settledLog(timeout: Duration = .seconds(20)) throws -> ServerLog {
        try waitUntil(timeout: timeout) { $0.requestsUnderWay == 0 }
        return log
    }

    /// Replaces what is done with later requests for a path. Rules count from 1 again.
    package func setRoute(_ path: String, _ route: Route) {
        state.withLock { $0.routes[path] = ServerState.ScriptedRoute(route) }
    }

    /// Lets go on what stalls now, and closes connections that wait in silence. Later stalls are not affected: wait
    /// for the log's ``ServerLog/stalledCount`` first.
    package func release() throws {
        let next = try Gate()
        state.withLock { $0.release(next: next) }
    }

    /// Closes all connections that are open now, as a router does whose table was lost, or those of these numbers: from 1 on,
    /// in the order in which they were accepted.
    package func closeConnections(_ numbers: ClosedRange<Int> = 1...Int.max) {
        state.withLock { state in
            for (number, socket) in state.sockets where numbers.contains(number) {
                shutdown(socket.fd, Int32(SHUT_RDWR))
            }
        }
    }

    /// Blocks the calling thread until the log is as wanted: `try server.waitUntil { $0.bytesSent > 1_000_000 }`.
    ///
    /// - Parameters:
    ///   - timeout: How long at most; only a failing test waits that long.
    ///   - predicate: Called whenever something has happened. It must not call the server.
    /// - Throws: A sentence where the time is up.
    package func waitUntil(timeout: Duration = .seconds(20), _ predicate: (ServerLog) -> Bool) throws {
        if state.wait(timeout: timeout, until: { predicate($0.log) }) { return }
        throw TestSupportError("what a test waits for on its server has not happened in \(timeout.inSeconds) s")
    }

    /// Throws where something went wrong in the server itself, or a client sent no proper HTTP.
    package func checkHealthy() throws {
        let failures = log.failures
        if !failures.isEmpty { throw TestSupportError("the test server failed: " + failures.joined(separator: "; ")) }
    }

    /// Closes all connections and the port, and returns when all threads have ended. The log stays.
    package func stop() {
        stopGate.open()
        state.withLock { state in
            state.isStopped = true
            state.sockets.values.forEach { shutdown($0.fd, Int32(SHUT_RDWR)) }
        }
        threads.join()
    }

    /// Runs a server for the time of a closure, and throws if the server itself failed meanwhile.
    package static func run<Result>(
        _ routes: [String: Route],
        address: String = "127.0.0.1",
        port: UInt16 = 0,
        maximumConnections: Int? = nil,
        refusesSurplusConnections: Bool = false,
        _ body: (FaultServer) throws -> Result
    ) throws -> Result {
        let server = try FaultServer(
            routes,
            address: address,
            port: port,
            maximumConnections: maximumConnections,
            refusesSurplusConnections: refusesSurplusConnections
        )
        defer { server.stop() }
        let result = try body(server)
        try server.checkHealthy()
        return result
    }

    /// As the other `run`, for an asynchronous closure.
    package static func run<Result>(
        _ routes: [String: Route],
        address: String = "127.0.0.1",
        maximumConnections: Int? = nil,
        refusesSurplusConnections: Bool = false,
        _ body: (FaultServer) async throws -> sending Result
    ) async throws -> sending Result {
        let server = try FaultServer(
            routes,
            address: address,
            maximumConnections: maximumConnections,
            refusesSurplusConnections: refusesSurplusConnections
        )
        defer { server.stop() }
        let result = try await body(server)
        try server.checkHealthy()
        return result
    }
}

/// The thread that accepts a server's connections. It holds no reference to the server, whose `deinit` can end it.
private struct Acceptor: Sendable {
    let listener: Listener
    let pausesWhenFull: Bool
    let stopGate: Gate
    let state: Monitor<ServerState>
    let threads: ThreadGroup
    let start = ContinuousClock.now

    func run() {
        do {
            while let socket = try listener.accept(until: stopGate) {
                admit(socket)
                guard pausesWhenFull, state.read({ $0.isFull }) else { continue }
                try listener.pause()
                _ = state.wait(timeout: .seconds(600)) { !$0.isFull || $0.isStopped }
                try listener.resume()
            }
        } catch {
            state.withLock { $0.log.failures.append("\(error)") }
        }
    }

    private func admit(_ socket: ClientSocket) {
        guard let number = state.withLock({ $0.open(socket) }) else {
            socket.resetOnClose()
            close(socket.fd)
            return
        }
        threads.start { [state, start] in
            var connection = Connection(socket: socket, number: number, state: state, serverStart: start)
            connection.serve()
            state.withLock { $0.close(number) }
            close(socket.fd)
        }
    }
}
