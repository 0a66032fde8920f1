import Dispatch
import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

@Suite struct PhaseTests {
    private let content = PatternContent(seed: 481, length: 1 * MiB)

    @Test(
        "The wait for the disk has a name of its own, told once, for ranges and for a stream",
        arguments: [true, false]
    )
    func syncing(hasRanges: Bool) throws {
        let route = Route(content) { if !hasRanges { ($0.ranges, $0.acceptRanges) = (.ignored, nil) } }
        try FaultServer.run(["/file": route]) { server in
            let harness = try DownloadHarness()
            _ = try harness.run(server.url("/file")).get()
            let phases = harness.seenEvents.compactMap { if case .phase(let phase) = $0 { phase } else { nil } }
            #expect(phases == [.transferring, .syncing])
        }
    }

    @Test("Hashing what is not hashed yet has a name of its own")
    func verifying() throws {
        let folder = try TemporaryFolder()
        try content.write(toFileAt: folder.path("x"))
        let digest = try FileDigest.sha256(ofFileAt: folder.path("x"))
        try FaultServer.run(["/file": Route(content)]) { server in
            let harness = try DownloadHarness()
            _ = try harness.run(server.url("/file")) { $0.checksum = Checksum("sha256:\(digest)") }.get()
            let phases = harness.seenEvents.compactMap { if case .phase(let phase) = $0 { phase } else { nil } }
            #expect(phases == [.transferring, .syncing, .verifying, .syncing])
        }
    }

    @Test("While the disk takes a sync, or write-back begins, every byte comes", arguments: [true, false])
    func background(isSync: Bool) throws {
        let harness = try DownloadHarness()
        let content = PatternContent(seed: 482, length: 4 * MiB)
        var options = DownloadHarness.options()
        options.keeperPolicy.minimumInterval = .zero
        options.keeperPolicy.writeBackByteCount = 64 * KiB
        try FaultServer.run(["/file": Route(content)]) { server in
            let session = try Session(options)
            defer { session.close() }
            let (isHeld, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let hold = Once {
                isHeld.signal()
                mayGoOn.wait()
            }
            let intercept: SystemCall.Interceptor = { attempt, proceed throws(Errno) in
                if attempt.name == (isSync ? .fdatasync : .startWriteBack),
                    FilesTestFolder.name(ofDescriptor: attempt.fd, in: harness.folder.path) == "file.segdl.part"
                {
                    hold.run()
                }
                return try proceed()
            }
            try SystemCall.withInterceptor(intercept) {
                let download = harness.start(harness.request(server.url("/file")), in: session)
                isHeld.wait()
                try harness.waitUntil(download, hasReceived: content.length)
                mayGoOn.signal()
                _ = try download.wait()
            }
            #expect(try content.matches(fileAt: harness.folder.path("file")))
        }
    }
}
