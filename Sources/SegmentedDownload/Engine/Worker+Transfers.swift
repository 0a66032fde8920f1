internal import CSegdlShims
internal import SegmentedDownloadCore

// Everything here runs on the worker's queue.
extension Worker {
    /// How long bytes wait for others before they are handed to the kernel all the same: what a slow connection brought must
    /// not be lost with the process.
    private static let longestGathering = Duration.seconds(1)
    /// How often progress is told where bytes came but none were written yet.
    private static let reportInterval = Duration.milliseconds(50)

    func execute(_ command: WorkerCommand) {
        switch command {
        case .start(let transfer): start(transfer)
        case .shorten(let transfer, let end): shorten(transfer, to: end)
        case .revoke(let transfer): end(transfer, .revoked)
        case .handOver(let held, let next): handOver(held, to: next)
        case .resumeWriting:
            for connection in connections.values where connection.transfer?.pause == .disk {
                connection.resume()
            }
        case .applyRateLimit: applyRateLimit()
        }
    }

    private func start(_ transfer: Transfer) {
        do throws(CurlError) {
            let connection = try connection(number: transfer.connection)
            precondition(connection.transfer == nil, "A connection carries one transfer at a time")
            admit(transfer)
            try connection.begin(transfer, receiveBufferSize: receiveBufferSize(of: transfer.connection))
            try multi.add(connection.handle)
        } catch {
            connections[transfer.connection]?.end()
            transfer.owner.transferDidEnd(transfer, .failed(error))
        }
    }

    private func connection(number: Int) throws(CurlError) -> Connection {
        if let connection = connections[number] { return connection }
        let connection = try Connection(settings, number: number, share: share, sockets: multi.sockets)
        connections[number] = connection
        return connection
    }

    /// The connection that carries a transfer; `nil` where it has ended meanwhile.
    private func connection(carrying transfer: Transfer) -> Connection? {
        connections[transfer.connection].flatMap { $0.transfer === transfer ? $0 : nil }
    }

    /// The connection whose handle has ended.
    func connection(of easy: UnsafeMutableRawPointer) -> Connection? {
        var context: UnsafeMutableRawPointer?
        guard segdl_easy_get_private(easy, &context) == CURLE_OK, let context else { return nil }
        // Connection keeps the transfer alive for as long as its handle points to it.
        let number = Unmanaged<Transfer>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.connection }
        return connections[number]
    }

    private func shorten(_ transfer: Transfer, to end: Int64) {
        guard connection(carrying: transfer) != nil, let writer = transfer.writer else { return }
        writer.end = min(writer.end, max(end, writer.received))
        transfer.owner.transferDidShorten(transfer, end: writer.end)
        if writer.received == writer.end { self.end(transfer, .cutShort) }
    }

    private func handOver(_ held: Transfer, to next: Transfer) {
        let failure = next.takeOver(from: held)
        guard let connection = connection(carrying: held) else {
            // Its body came to its end in memory.
            return next.owner.transferDidEnd(next, failure ?? held.outcome ?? .revoked)
        }
        if let failure {
            end(held, .revoked)
            return next.owner.transferDidEnd(next, failure)
        }
        do throws(CurlError) {
            pay(for: connection)
            admit(next)
            try connection.handOver(to: next)
            connection.resume()
        } catch {
            end(held, .failed(error))
            next.owner.transferDidEnd(next, .failed(error))
        }
    }

    /// Ends a transfer that its own write callback has given up.
    private func end(_ transfer: Transfer) {
        guard let connection = connection(carrying: transfer) else { return }
        let outcome = transfer.finish(nil)
        cut(connection)
        transfer.owner.transferDidEnd(transfer, outcome)
    }

    /// Ends a transfer before its time; one that has ended already was reported.
    func end(_ transfer: Transfer, _ outcome: TransferOutcome) {
        guard let connection = connection(carrying: transfer) else { return }
        cut(connection)
        let failure = transfer.writer?.flush()
        transfer.owner.transferDidEnd(transfer, failure.map { .init($0) } ?? outcome)
    }

    /// Takes the TCP connection along, HTTP/2's too: it may be the reason why the transfer was ended.
    private func cut(_ connection: Connection) {
        forbidReuse(of: connection.handle)
        release(connection)
    }

    func release(_ connection: Connection) {
        multi.remove(connection.handle)
        pay(for: connection)
        connection.end()
    }

    func endAll(_ outcome: TransferOutcome) {
        for transfer in connections.values.compactMap(\.transfer) { end(transfer, outcome) }
    }

    /// The most that one turn of the loop adds to the stall clock: a turn that takes longer was held up by the disk.
    static let longestTurn = Duration.milliseconds(250)

    /// Reports progress, and runs the stall clock, which counts neither time in which we paused a connection nor time
    /// in which a write of another one blocked the loop.
    func watch(_ connection: Connection, elapsed: Duration) {
        guard let transfer = connection.transfer else { return }
        transfer.bounds.progressCount = 0
        var report = transfer.report
        report.sinceReport += elapsed
        if transfer.isUntold {
            report.untold += elapsed
            if report.untold >= Self.reportInterval { transfer.tellHeld() }
        }
        if transfer.byteCount != report.byteCount || transfer.pause != nil {
            report.silence = .zero
        } else {
            report.silence += min(elapsed, Self.longestTurn)
        }
        report.sinceWrite += elapsed
        if let writer = transfer.writer, writer.written == report.written, report.sinceWrite >= Self.longestGathering {
            report.sinceWrite = .zero
            if let failure = writer.flush() { return end(transfer, .init(failure)) }
        }
        let written = transfer.writer?.written ?? -1
        // The first byte at once: the scheduler measures by it what a request costs.
        let isDue = report.sinceReport >= Self.reportInterval || report.byteCount == 0
        if written != report.written || (transfer.byteCount != report.byteCount && isDue) {
            if written != report.written { report.sinceWrite = .zero }
            report.written = written
            report.byteCount = transfer.byteCount
            report.sinceReport = .zero
            transfer.report = report
            transfer.owner.transferDidProgress(transfer)
        }
        transfer.report = report
        if transfer.stop != nil {
            // Ended within curl_easy_pause, whose failure libcurl does not always report as the end of the transfer.
            end(transfer)
        } else if let writer = transfer.writer, writer.received >= writer.end, transfer.promisedEnd ?? .max > writer.end
        {
            end(transfer, .cutShort)
        } else if report.silence >= settings.stallTimeout {
            end(transfer, .stalled)
        }
    }
}
