internal import CSegdlShims

/// One of a worker's connections: an easy handle that keeps its TCP connection between requests, the buffer that
/// gathers its bytes, and the transfer that it carries. Confined to its worker's queue.
final class Connection {
    private let easy: EasyHandle
    private let socketTable: SocketTable?
    private let gatherBufferSize: Int
    private var gatherBuffer: UnsafeMutableRawBufferPointer?
    private var headers = TextList()
    /// What the handle's cookies were when they were last loaded; `nil` before.
    private var cookies: CookieJar.Contents?
    private(set) var transfer: Transfer?
    /// The receive buffer of the request under way, in bytes.
    private(set) var receiveBufferSize = 0
    /// Which of the session's reads under a limit was the connection's last (``RateLimiter/beginRead()``).
    var lastRead = 0

    /// - Parameter sockets: Those of the worker's multi handle.
    init(_ settings: ConnectionSettings, number: Int, share: ShareHandle, sockets: SocketTable) throws(CurlError) {
        socketTable = settings.countsArrivals ? sockets : nil
        easy = try EasyHandle.make(settings, share: share, sockets: socketTable)
        gatherBufferSize = settings.gatherBufferSize(of: number)
    }

    deinit { gatherBuffer?.deallocate() }

    var handle: UnsafeMutableRawPointer { easy.pointer }

    func error(_ code: CURLcode) -> CurlError? {
        guard code != CURLE_OK, let request = transfer?.request else { return nil }
        return easy.error(code, of: request)
    }

    /// Sets the handle up for a transfer; the caller then adds it to the multi handle.
    func begin(_ transfer: Transfer, receiveBufferSize: Int) throws(CurlError) {
        headers = try TextList(transfer.request.headerLines)
        let current = transfer.request.cookieJar.current
        if current.version != cookies?.version { try easy.setCookies(current.lines) }
        cookies = current
        transfer.loadedCookies = current.lines
        // The transfer is libcurl's context: kept alive by `self.transfer` until `end`, after the handle was removed.
        let context = Unmanaged.passUnretained(transfer).toOpaque()
        if try easy.setReceiveBuffer(size: receiveBufferSize) { self.receiveBufferSize = receiveBufferSize }
        try easy.prepare(transfer.request, headers: headers, context: context, callbacks: Self.callbacks)
        attach(transfer)
    }

    private static var callbacks: EasyHandle.Callbacks {
        EasyHandle.Callbacks(
            onBytes: { bytes, size, count, context in
                guard let bytes, let context else { return 0 }
                return Unmanaged<Transfer>.fromOpaque(context)._withUnsafeGuaranteedRef {
                    $0.receive(UnsafeRawBufferPointer(start: bytes, count: size * count))
                }
            },
            onHead: { _, size, count, context in
                guard let context else { return 0 }
                return Unmanaged<Transfer>.fromOpaque(context)._withUnsafeGuaranteedRef {
                    $0.receiveHead(byteCount: size * count)
                }
            },
            onProgress: { context, _, _, _, _ in
                guard let context else { return 1 }
                return Unmanaged<Transfer>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.mayGoOn } ? 0 : 1
            },
            onOpen: { context, _, address in
                guard let context, let address else { return CURL_SOCKET_BAD }
                let peer = SocketAddress(address)
                return Unmanaged<Transfer>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.openSocket(to: peer) }
            },
            onSocket: { context, socket, _ in
                guard let context else { return CURL_SOCKOPT_OK }
                return Unmanaged<Transfer>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.setUp(socket) }
            },
            onConnection: { context, host, _, _, _ in
                guard let context, let host else { return CURL_PREREQFUNC_ABORT }
                Unmanaged<Transfer>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.didConnect(to: host) }
                return CURL_PREREQFUNC_OK
            }
        )
    }

    /// Gives what the handle is receiving to another owner's transfer.
    func handOver(to next: Transfer) throws(CurlError) {
        try easy.direct(to: Unmanaged.passUnretained(next).toOpaque())
        attach(next)
    }

    private func attach(_ transfer: Transfer) {
        self.transfer = transfer
        transfer.easy = easy.pointer
        transfer.socketTable = socketTable
        guard let writer = transfer.writer else { return }
        let buffer = gatherBuffer ?? .allocate(byteCount: gatherBufferSize, alignment: 4096)
        gatherBuffer = buffer
        writer.attach(buffer)
    }

    /// Lets go of the transfer, after its handle was removed from the multi handle.
    func end() {
        transfer?.easy = nil
        transfer = nil
    }

    /// Lets a held body go on. libcurl calls the write callback before this returns; where that ends the transfer,
    /// ``Transfer/stop`` says why, and whatever libcurl delivers after it is refused.
    func resume() {
        transfer?.pause = nil
        let code = curl_easy_pause(easy.pointer, CURLPAUSE_CONT)
        precondition(code != CURLE_BAD_FUNCTION_ARGUMENT, "A handle is resumed by its own worker, outside of callbacks")
    }
}
