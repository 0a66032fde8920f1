import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadLocking
import SegmentedDownloadTestSupport
import Testing

/// What is shown and written while a download meets with trouble (wild.md 55, 79: wget2#327, lftp#137, aria2#2116).
@Suite struct ProgressTests {
    private let content = PatternContent(seed: 79, length: 2 * MiB)

    static let routes: [(name: String, change: @Sendable (Route) -> Route)] = [
        ("is honest", { $0 }), ("cuts each body", { $0.on(.gets) { $0.cut = .after(40_000) } }),
        ("refuses every other request", { $0.on(.ranged, .numbers([2, 4, 6, 8, 10])) { $0.fail(503) } }),
        ("lets its links run out", { $0.on(.ranged, .numbers([4, 9, 14])) { $0.fail(403) } }),
        ("has another ETag each time", { $0.on(.all) { $0.etag = .rotating((0..<500).map { "v\($0)" }) } }),
    ]

    @Test(
        "What is held never shrinks, is never more than there is, and is all of it in the end",
        arguments: routes.indices
    )
    func grows(index: Int) throws {
        let harness = try DownloadHarness()
        let route = Self.routes[index].change(Route(content) { $0.bytesPerSecond = 2_000_000 })
        try FaultServer.run(["/start": .redirect(to: "/file"), "/file": route]) { server in
            let session = try Session(DownloadHarness.options())
            defer { session.close() }
            let download = harness.start(
                harness.request(server.url("/start")) { $0.requestSize = 256 * KiB },
                in: session
            )
            var last: Int64 = 0
            while download.progress.phase != .ended {
                let held = download.progress.heldByteCount
                #expect(held >= last && held <= content.length, "a server that \(Self.routes[index].name)")
                last = held
            }
            _ = try download.wait()
            #expect(download.progress.heldByteCount == content.length)
        }
    }

    @Test("Bytes reach the disk in large pieces, over any number of connections", arguments: [1, 8])
    func largeWrites(jobs: Int) throws {
        let harness = try DownloadHarness()
        let content = PatternContent(seed: 550 + UInt64(jobs), length: 16 * MiB)
        let sizes = Locked<[Int]>([])
        let watching: SystemCall.Interceptor = { attempt, proceed throws(Errno) in
            // Other tests write meanwhile, and journals are written too.
            if case .writing(let bytes, let offset) = attempt.arguments, bytes.count > 8, offset + 8 <= content.length,
                content.withBytes(in: offset..<offset + 8, { $0.elementsEqual(bytes.prefix(8)) })
            {
                sizes.withLock { $0.append(bytes.count) }
            }
            return try proceed()
        }
        try FaultServer.run(["/file": Route(content)]) { server in
            try SystemCall.withInterceptor(watching) {
                _ = try harness.run(server.url("/file"), options: DownloadHarness.options(jobs: jobs)).get()
            }
        }
        let all = sizes.withLock { $0 }
        let large = all.filter { $0 >= 128 << 10 }
        #expect(all.reduce(0, +) == Int(content.length))
        #expect(large.reduce(0, +) > Int(content.length) * 8 / 10, "\(all)")
    }
}
