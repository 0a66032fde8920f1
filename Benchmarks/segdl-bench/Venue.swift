/// Makes what a comparison's files come from.
///
/// - Throws: A sentence where it can't be started.
typealias Venue = @Sendable (Workplace) throws -> any BenchServer

/// What is between the two hosts of `netlab`.
struct WideLink: Sendable {
    /// There and back, in milliseconds.
    var roundTrip = 100
    /// Megabits a second; 0 is no cap.
    var megabits = 0
    /// What the queue before the cap holds, in KiB; without a cap it is what one round trip carries.
    var queueKibibytes = 65536
    /// Packets that are lost, in percent.
    var lossPercent = 0.0
    /// The largest receive window of the client's kernel (the third of `net.ipv4.tcp_rmem`), in bytes; `nil` is its own.
    var receiveWindow: Int64?

    /// Bytes a second; `nil` without a cap.
    var bytesPerSecond: Double? { megabits > 0 ? Double(megabits) * 1e6 / 8 : nil }

    /// Makes the link, instead of any that is there.
    ///
    /// - Throws: ``BenchError`` where it can't be made, for want of root for instance.
    func make(_ workplace: Workplace) throws {
        let loss = lossPercent.decimal(2)
        try run([workplace.netlab, "up", "\(roundTrip / 2)", "\(megabits)", "\(queueKibibytes)", loss])
        guard let receiveWindow else { return }
        let setting = "echo 4096 131072 \(receiveWindow) > /proc/sys/net/ipv4/tcp_rmem"
        try run([workplace.netlab, "client", "sh", "-c", setting])
    }
}
