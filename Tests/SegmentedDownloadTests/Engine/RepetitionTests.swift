#if os(Linux)
    import Foundation
    import SegmentedDownload
    import SegmentedDownloadCore
    import SegmentedDownloadTestSupport
    import Testing

    /// What a process has in use. See proc(5).
    private struct Usage: CustomStringConvertible {
        let descriptorCount: Int
        let threadCount: Int
        let residentBytes: Int

        init() throws {
            descriptorCount = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
            threadCount = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
            let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
            residentBytes = (Int(pages[1]) ?? 0) * sysconf(Int32(_SC_PAGESIZE))
        }

        var description: String {
            "\(descriptorCount) descriptors, \(threadCount) threads, \(residentBytes / 1024) KiB"
        }
    }

    /// Many downloads in one process that does nothing else. `SEGDL_LONG_TESTS` makes them 1,000.
    @Suite struct RepetitionTests {
        private static let count = ProcessInfo.processInfo.environment["SEGDL_LONG_TESTS"] == nil ? 200 : 1000

        @Test(
            "Descriptors, threads and memory are after many downloads what they were after a few",
            .timeLimit(.minutes(5)),
            arguments: [false, true]
        )
        func repeated(hasSessionEach: Bool) async throws {
            let content = PatternContent(seed: 90, length: 3 * 64 * KiB + 1)
            let routes = [
                "/file": Route(content),
                "/stream": Route(content) { ($0.framing, $0.ranges) = (.chunked, .ignored) },
                "/missing": Route(content) { $0.fail(404) }, "/moved": Route.redirect(to: "/file?moved"),
                "/cookie": Route(content) { $0.fields["Set-Cookie"] = "a=b" },
                "/cut": Route(content).on(.ranged, .always) { $0.cut = .after(0, by: .reset) },
            ]
            let server = try FaultServer(routes)
            defer { server.stop() }
            let (origin, count) = (server.url(""), Self.count)
            let exit = try await #require(
                processExitsWith: .success,
                observing: [\.standardErrorContent]
            ) { [origin = origin as String, count = count as Int, hasSessionEach] in
                do {
                    try RepetitionTests.run(origin: origin, count: count, hasSessionEach: hasSessionEach)
                } catch {
                    FileHandle.standardError.write(Data("\(error)".utf8))
                    Foundation.exit(0)
                }
            }
            let complaint = String(decoding: exit.standardErrorContent, as: UTF8.self)
            #expect(complaint.isEmpty)
        }

        /// In a process of its own.
        private static func run(origin: String, count: Int, hasSessionEach: Bool) throws {
            let harness = try DownloadHarness()
            var options = DownloadHarness.options()
            options.preconnectThreshold = .zero
            let shared = try Session(options)
            func download(_ number: Int) throws {
                let session = hasSessionEach ? try Session(options) : shared
                let paths = ["/file", "/stream", "/moved", "/cookie", "/file", "/missing", "/cut"]
                let path = paths[number % paths.count]
                let request = harness.request(origin + path) {
                    $0.output = "file"
                    $0.syncs = number % 10 == 0
                }
                let result = Result { try session.start(request).wait() }
                if hasSessionEach { session.close() }
                guard number % paths.count < 5 else {
                    guard case .failure = result else { throw TestSupportError("\(path) did not fail") }
                    for name in try harness.folder.names() { unlink(harness.folder.path(name)) }
                    return
                }
                _ = try result.get()
                guard unlink(harness.folder.path("file")) == 0 else { throw TestSupportError("no file") }
            }
            // The first ones warm up what stays: threads of Dispatch, the allocator's arenas, libcurl's tables.
            for number in 0..<70 { try download(number) }
            let before = try Usage()
            for number in 0..<count { try download(number) }
            var after = try Usage()
            // A session keeps idle connections, at most one for each of its four.
            let descriptorLimit = before.descriptorCount + 4
            // Dispatch lets idle threads go after some seconds, and the last block of a queue the files that it held;
            // what runs by itself is waited for.
            for _ in 0..<200 where after.threadCount > before.threadCount || after.descriptorCount > descriptorLimit {
                usleep(50_000)
                after = try Usage()
            }
            guard after.descriptorCount <= descriptorLimit, after.threadCount <= before.threadCount,
                after.residentBytes <= before.residentBytes + 4 * 1024 * 1024
            else { throw TestSupportError("before: \(before); after: \(after)") }
            shared.close()
        }
    }
#endif
