import CSegdlShims
import Foundation
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

@testable import SegmentedDownload

@Suite struct SocketTableTests {
    private static let content = PatternContent(seed: 421, length: 4 * MiB)

    /// Downloads within about half a second, so that what arrives is counted some times.
    private func arrivals(isTuned: Bool, _ change: (inout Behaviour) -> Void = { _ in }) throws -> Int64 {
        let harness = try DownloadHarness()
        var options = DownloadHarness.options(jobs: 8)
        options.tunesConnections = isTuned
        options.rateLimit = 8 * MiB
        return try FaultServer.run(["/file": Route(Self.content, change)]) { server in
            let session = try Session(options)
            defer { session.close() }
            let request = harness.request(server.url("/file")) { $0.requestSize = 256 * KiB }
            _ = try harness.start(request, in: session).wait()
            #expect(try Self.content.matches(fileAt: harness.folder.path("file")))
            return session.pool.arrivals.byteCount
        }
    }

    @Test("What arrives is counted where it is needed")
    func counted() throws {
        let length = Self.content.length
        #expect(try (length / 2...length + 1 * MiB).contains(arrivals(isTuned: true)))
        #expect(try arrivals(isTuned: false) == 0)
    }

    @Test("So is what came over connections that are closed after each answer")
    func closed() throws {
        let length = Self.content.length
        #expect(try (length / 2...length + 1 * MiB).contains(arrivals(isTuned: true) { $0.afterwards = .close }))
    }

    /// One look at a socket whose segments have 1000 bytes.
    private func take(_ count: inout ArrivalCount, _ byteCount: Int64, _ segmentCount: UInt32, _ unordered: UInt32)
        -> Int64
    {
        count.take(
            segdl_arrivals(
                byte_count: byteCount,
                segment_count: segmentCount,
                unordered_count: unordered,
                segment_size: 1000
            )
        )
    }

    @Test("What waits behind a lost packet has arrived, and counts once")
    func unordered() {
        var count = ArrivalCount()
        // Segments that are not full.
        #expect(take(&count, 10_000, 20, 0) == 10_000)
        #expect(take(&count, 10_000, 20, 0) == 0)
        // One is lost, and 9 behind it arrive; then 10 more.
        #expect(take(&count, 12_000, 31, 9) == 11_000)
        #expect(take(&count, 12_000, 41, 19) == 10_000)
        // The lost one comes, and all is in order.
        #expect(take(&count, 32_000, 42, 19) == 1000)
        #expect(take(&count, 36_000, 46, 19) == 4000)
    }

    @Test("A count of segments may begin anew, and what came twice is made up for")
    func wrapped() {
        var count = ArrivalCount()
        #expect(take(&count, 1000, .max, 0) == 1000)
        #expect(take(&count, 1000, 2, 3) == 3000)
        // One of those had come before.
        #expect(take(&count, 3000, 3, 3) == 0)
        #expect(take(&count, 5000, 5, 3) == 1000)
    }
}
