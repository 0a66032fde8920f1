/// `links`: how near `segdl` comes to what links carry, by connections, distance and loss.
extension Scope {
    var links: [Comparison] {
        capped + [windowed] + (isQuick ? [0.5] : [0, 0.5, 2]).map(lossy)
    }

    /// A server that holds each connection to 4 MB/s: N connections bring N times that.
    private var capped: [Comparison] {
        (isQuick ? [8] : [1, 2, 4, 8, 16]).map { jobs in
            let rate = Double(jobs) * Double(Link.capBytesPerSecond)
            // What comes before the first byte and after the last must not count: 6 s, and 1 s for a look.
            let byteCount = Int64(rate) * (isQuick ? 1 : 6)
            return Comparison(
                name: "4 MB/s a connection, -j \(jobs)",
                venues: [Link.capped.startServer],
                files: FileSet(byteCount: byteCount),
                contenders: [.segdl(segdl, jobs: jobs)],
                bars: [Comparison.Bar(quantity: .rate, subject: 0, reference: .ideal(rate), bound: .atLeast(0.95))],
                rounds: (rounds + 1) / 2
            )
        }
    }

    /// 100 ms, and a receive window that holds each connection back: against aria2, which has at most 16 connections.
    private var windowed: Comparison {
        let counts = isQuick ? [8, 16, 32] : [2, 4, 8, 16, 32]
        let shared = counts.filter { $0 <= 16 }
        let byteCount = byteCount(256 * .mebibyte)
        let sixteen = shared.count - 1
        return Comparison(
            name: "\(byteCount.byteUnits), 100 ms, 1 MiB window",
            venues: [{ try NginxBenchServer($0, wide: WideLink(receiveWindow: .mebibyte)) }],
            files: FileSet(byteCount: byteCount),
            contenders: counts.map { .segdl(segdl, jobs: $0) } + shared.map { .aria2(connections: $0) },
            bars: shared.indices.map { .rate($0, counts.count + $0, atLeast: shared[$0] >= 8 ? 1.03 : 1) }
                + [.rate(sixteen + 1, sixteen, atLeast: 1.4)],
            rounds: rounds
        )
    }

    /// 200 Mbit, 100 ms, and packets lost on the way: against everybody, and against what the link could carry.
    private func lossy(_ lossPercent: Double) -> Comparison {
        let link = WideLink(megabits: 200, queueKibibytes: 1024, lossPercent: lossPercent)
        let byteCount = byteCount(100 * .mebibyte)
        // TCP's and IP's headers are 4 %; connecting, probing and asking cost three round trips.
        let seconds = Double(byteCount) * 1.04 / (link.bytesPerSecond ?? 1) + 3 * Double(link.roundTrip) / 1000
        let limits = [0: 1.1, 0.5: 1.15, 2: 1.25]
        let contenders: [Contender] = [
            .segdl(segdl, jobs: 8), .aria2(connections: 8), .axel(connections: 8), .lftp(connections: 8),
            .wget2(connections: 8), .curl(),
        ]
        let ideal = Comparison.Bar(
            quantity: .time,
            subject: 0,
            reference: .ideal(seconds),
            bound: .atMost(limits[lossPercent] ?? 1)
        )
        return Comparison(
            name: "\(byteCount.byteUnits), 100 ms, 200 Mbit, \(lossPercent.decimal(1)) % loss",
            venues: [{ try NginxBenchServer($0, wide: link) }],
            files: FileSet(byteCount: byteCount),
            contenders: contenders,
            bars: [ideal] + contenders.indices.dropFirst().map { .time(0, $0, atMost: 1) },
            rounds: rounds
        )
    }
}
