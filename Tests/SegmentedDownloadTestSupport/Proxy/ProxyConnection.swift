import Foundation

/// One client of a ``ProxyServer``, served by its own thread.
struct ProxyConnection {
    let client: ClientSocket
    let number: Int
    let peer: String
    let script: ProxyScript
    let state: Monitor<ProxyServer.State>
    var received: [UInt8] = []
    var upstream: Upstream?

    init(
        client: ClientSocket,
        number: Int,
        peer: String,
        script: ProxyScript,
        state: Monitor<ProxyServer.State>
    ) {
        self.client = client
        self.number = number
        self.peer = peer
        self.script = script
        self.state = state
    }

    /// Serves until the connection ends. Whatever goes wrong ends it: a client in a test sees that.
    mutating func serve() {
        do {
            switch script.kind {
            case .http: try serveHTTP()
            case .socks5: try serveSOCKS()
            }
        } catch {}
        upstream?.close()
    }

    func log(_ method: String, _ target: String, _ fields: HTTPFields = [:], credentials: String? = nil) {
        let request = ProxyRequest(
            method: method,
            target: target,
            fields: fields,
            credentials: credentials,
            connection: number,
            peer: peer
        )
        state.withLock { $0.requests.append(request) }
    }

    /// Carries bytes both ways until one side ends.
    func relay(_ upstream: Upstream) throws {
        let limit = script.deadTunnels[number] ?? .max
        let cut = script.cutTunnels[number] ?? .max
        var count = 0
        var pacer = Pacer()
        while true {
            var set = [client.fd, upstream.socket.fd].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            try check("poll") { poll(&set, 2, -1) }
            if set[0].revents != 0 { try Self.copy(from: client, to: upstream.socket) }
            if set[1].revents != 0 {
                let copied = try Self.copy(from: upstream.socket, to: client)
                count += copied
                state.withLock { $0.tunnelByteCounts[number, default: 0] += copied }
                if let rate = script.tunnelBytesPerSecond {
                    let pause = pacer.pause(before: Int64(copied), bytesPerSecond: rate)
                    if pause > .zero { _ = try upstream.socket.wait(timeout: pause, gate: nil) }
                }
            }
            if count >= cut {
                if script.resetsCutTunnels {
                    shutdown(client.fd, Int32(SHUT_WR))
                    client.resetOnClose()
                }
                throw TestSupportError("the script cuts this tunnel")
            }
            if count >= limit { _ = try client.wait(timeout: nil, gate: nil) }
        }
    }

    /// - Returns: How many bytes came.
    @discardableResult
    private static func copy(from source: ClientSocket, to sink: ClientSocket) throws -> Int {
        var bytes: [UInt8] = []
        try source.receive(into: &bytes)
        try sink.sendAll(bytes)
        return bytes.count
    }
}

/// A connection from a proxy to a server on loopback.
final class Upstream {
    let authority: String
    let socket: ClientSocket
    private var relay: Thread?
    private let ended = DispatchSemaphore(value: 0)

    /// Connects to the port of an authority.
    ///
    /// - Throws: A sentence where nobody listens there.
    init(_ authority: String) throws {
        guard let colon = authority.lastIndex(of: ":"), let port = UInt16(authority[authority.index(after: colon)...])
        else { throw TestSupportError("no port: \(authority)") }
        let host = String(authority[..<colon])
        self.authority = authority
        #if os(Linux)
            let fd = try check("socket") { Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }
        #else
            let fd = try check("socket") { Foundation.socket(AF_INET, SOCK_STREAM, 0) }
        #endif
        setCloseOnExec(fd)
        socket = ClientSocket(fd: fd)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = inet_addr(host.hasPrefix("127.") ? host : "127.0.0.1")
        name.sin_port = port.bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        try check("connect \(authority)") { withSocketAddress(&name) { connect(fd, $0, size) } }
    }

    /// Carries what the server sends to the client, on a thread, until one of them ends.
    func startAnswering(_ client: ClientSocket) {
        let (socket, ended) = (socket, ended)
        let thread = Thread {
            while true {
                var bytes: [UInt8] = []
                guard (try? socket.receive(into: &bytes)) != nil, (try? client.sendAll(bytes)) != nil else { break }
            }
            // The end of an answer may be the end of the connection.
            shutdown(client.fd, Int32(SHUT_RDWR))
            ended.signal()
        }
        relay = thread
        thread.start()
    }

    /// Ends the connection and its thread.
    func close() {
        shutdown(socket.fd, Int32(SHUT_RDWR))
        if relay != nil { ended.wait() }
        Foundation.close(socket.fd)
    }
}
