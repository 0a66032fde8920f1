/// `peers`, `durable` and `small-files`: loopback, where what the program itself costs is what counts.
extension Scope {
    /// The bars of issue 5.
    var peers: [Comparison] {
        let sizes: [Int64] = isQuick ? [256 * .mebibyte] : [256 * .mebibyte, .gibibyte]
        return sizes.flatMap { [synced(byteCount($0)), notSynced(byteCount($0))] } + [secure, tiny, distant]
    }

    private func synced(_ byteCount: Int64) -> Comparison {
        Comparison(
            name: "\(byteCount.byteUnits), loopback, synced",
            venues: [Link.loopback.startServer],
            files: FileSet(byteCount: byteCount),
            contenders: [.segdl(segdl, jobs: 8), .aria2(connections: 8), .curlThenSync],
            bars: [.time(0, 1, atMost: 0.4), .time(0, 2, atMost: 0.45), .cpu(0, 1, atMost: 0.5)],
            rounds: rounds
        )
    }

    private func notSynced(_ byteCount: Int64) -> Comparison {
        Comparison(
            name: "\(byteCount.byteUnits), loopback, not synced",
            venues: [Link.loopback.startServer],
            files: FileSet(byteCount: byteCount),
            contenders: [
                .segdl(segdl, jobs: 8, options: ["--no-sync"]), .aria2(connections: 8), .curl(),
                .hfTransfer(workplace, files: 8), .wget2(connections: 8), .axel(connections: 8), .lftp(connections: 8),
                .bareLoop(workplace, byteCount: byteCount, connections: 8),
            ],
            bars: [
                .time(0, 1, atMost: 0.27), .time(0, 2, atMost: 0.38), .time(0, 3, atMost: 0.6),
                .time(0, 4, atMost: 0.55), .time(0, 5, atMost: 1), .time(0, 6, atMost: 1), .rate(0, 7, atLeast: 0.75),
                .cpu(0, 1, atMost: 0.5), .cpu(0, 2, atMost: 0.6),
            ],
            rounds: rounds
        )
    }

    private var secure: Comparison {
        let byteCount = byteCount(.gibibyte)
        return Comparison(
            name: "\(byteCount.byteUnits), loopback, HTTPS, not synced",
            venues: [{ try NginxBenchServer($0, isSecure: true) }],
            files: FileSet(byteCount: byteCount),
            contenders: [
                .segdl(segdl, jobs: 8, options: ["--no-sync", "--insecure"]),
                .aria2(connections: 8, options: ["--check-certificate=false"]), .curl(options: ["--insecure"]),
            ],
            bars: [.time(0, 1, atMost: 0.55), .time(0, 2, atMost: 0.75)],
            rounds: rounds
        )
    }

    private var tiny: Comparison {
        Comparison(
            name: "1 KiB, loopback",
            venues: [Link.loopback.startServer],
            files: FileSet(byteCount: .kibibyte),
            contenders: [.segdl(segdl, jobs: 8), .curl()],
            bars: [.time(0, 1, atMost: 1.35)],
            rounds: isQuick ? rounds : rounds * 3
        )
    }

    private var distant: Comparison {
        let byteCount = byteCount(.gibibyte)
        return Comparison(
            name: "\(byteCount.byteUnits), 100 ms",
            venues: [Link.wide.startServer],
            files: FileSet(byteCount: byteCount),
            contenders: [.segdl(segdl, jobs: 8), .aria2(connections: 8)],
            bars: [.rate(0, 1, atLeast: 1)],
            rounds: rounds
        )
    }

    /// How long it takes until the file is on a slow disk for good: the disk is the caller's business.
    var durable: [Comparison] {
        let byteCount = byteCount(96 * .mebibyte)
        return [
            Comparison(
                name: "\(byteCount.byteUnits), slow disk, until durable",
                venues: [Link.loopback.startServer],
                files: FileSet(byteCount: byteCount),
                contenders: [.segdl(segdl, jobs: 8), .aria2(connections: 8), .curlThenSync],
                bars: [.time(0, 1, atMost: 1.05), .time(0, 2, atMost: 1.05)],
                rounds: rounds
            )
        ]
    }

    /// Many files that are over before a connection pays; empty where this `segdl` takes no list.
    func smallFiles() throws -> [Comparison] {
        guard try workplace.takes("--input-file=/dev/null") else { return [] }
        return [Link.loopback, .wide].map { link in
            Comparison(
                name: "\(isQuick ? 100 : 1000) × 64 KiB, \(link.title)",
                venues: [link.startServer],
                files: FileSet(byteCount: 64 * .kibibyte, count: isQuick ? 100 : 1000),
                contenders: [.segdlList(segdl, jobs: 8), .aria2List(jobs: 8), .curlList(jobs: 8)],
                bars: [.time(0, 1, atMost: 1), .time(0, 2, atMost: 1)],
                rounds: rounds,
                counting: .opened
            )
        }
    }
}
