internal import SegmentedDownloadCore

// The limit on the session's rate. Everything here runs on the worker's queue.
//
// Under a limit a transfer may take one read's bytes, and is paused by its write callback when libcurl brings more. While
// the bucket is not in debt, the transfer that has waited longest gets its next read. libcurl's own
// CURLOPT_MAX_RECV_SPEED_LARGE is one handle's, not the session's.
extension Worker {
    /// A request under way keeps its receive buffer (libcurl 7.88 changes none). Where it is so many times as large as a
    /// read is to be, its bursts would show: 16 reads are 1/32 s.
    private static let tolerableBufferRatio = 16

    /// The receive buffer of a request that begins now, in bytes.
    func receiveBufferSize(of connection: Int) -> Int {
        let most = settings.receiveBufferSize(of: connection)
        guard let readByteCount else { return most }
        return min(max(Int(clamping: readByteCount), ConnectionSettings.leastReceiveBufferSize), most)
    }

    /// The receive buffer of a new connection in the kernel. Under a limit it is a second's share: the kernel would take 64 KiB of
    /// each at once, whatever is read of it.
    private func socketBuffer(of connection: Int) -> Transfer.SocketBuffer {
        guard let rate = rateLimiter.bytesPerSecond else { return settings.socketBuffer(of: connection) }
        let share = rate / Int64(settings.jobs)
        // Where the share is larger, the kernel adapts it to the round trip.
        return share < 64 * KiB ? .limited(Int32(max(share, Self.leastSocketBufferSize))) : .adapting
    }

    private static let leastSocketBufferSize = 4 * KiB

    /// A transfer begins with nothing that it may take, where there is a limit.
    func admit(_ transfer: Transfer) {
        transfer.allowance = .init(
            left: readByteCount == nil ? .max : 0,
            socketBuffer: socketBuffer(of: transfer.connection)
        )
    }

    /// The limit was set, lifted or changed.
    func applyRateLimit() {
        readByteCount = rateLimiter.readByteCount
        for (number, connection) in connections {
            guard let transfer = connection.transfer else { continue }
            admit(transfer)
            let longest = Self.tolerableBufferRatio * receiveBufferSize(of: number)
            if transfer.lease != nil, connection.receiveBufferSize > longest {
                // What it has not brought is asked for again, with a smaller buffer. A stream would begin anew.
                end(transfer, .revoked)
            } else if readByteCount == nil, transfer.pause == .rate {
                connection.resume()
            }
        }
    }

    /// Counts what was read, and lets those read on that have waited longest.
    ///
    /// - Returns: How long until the next one may; `nil` where none waits.
    func shareRate() -> Duration? {
        guard let readByteCount else { return nil }
        for connection in connections.values { pay(for: connection) }
        let waiting = connections.values.filter { $0.transfer?.pause == .rate }
        for connection in waiting.sorted(by: { $0.lastRead < $1.lastRead }) {
            let wait = rateLimiter.wait(worker: number, lastRead: connection.lastRead)
            guard wait == .zero else { return wait }
            connection.lastRead = rateLimiter.beginRead()
            connection.transfer?.allowance.left = readByteCount
            connection.resume()
            pay(for: connection)
            // It may have come to its end, or have failed.
            watch(connection, elapsed: .zero)
        }
        return rateLimiter.wait(worker: number, lastRead: nil)
    }

    /// Takes the tokens for what a connection has read.
    func pay(for connection: Connection) {
        guard let transfer = connection.transfer, transfer.allowance.taken > 0 else { return }
        rateLimiter.take(transfer.allowance.taken)
        transfer.allowance.taken = 0
    }
}
