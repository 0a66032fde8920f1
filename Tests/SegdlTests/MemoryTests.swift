#if os(Linux)
    import SegmentedDownloadCore
    import SegmentedDownloadTestSupport
    import Testing

    /// The memory of the real program, however large the file, and with as many connections as there can be.
    @Suite(.enabled(if: !Sanitizer.isActive, "a sanitizer takes memory of its own")) struct MemoryTests {
        /// A file system of 2 TiB that needs no room: one in memory, in a name space of its own. Files in it are sparse.
        private static let hasHugeFileSystem: Bool = {
            let script = "mount -t tmpfs -o size=2T none /mnt"
            return (try? ChildProcess.run("unshare", ["-Urm", "sh", "-c", script]).end) == .exit(0)
        }()

        /// The program in that file system, after others ran there; its standard streams are the child's.
        private func run(_ segdl: SegdlBinary, _ commands: [[String]]) throws -> ChildProcess.Result {
            let path = try Executables.product("segdl")
            let quoted = commands.map { ([path] + $0).map { "'\($0)'" }.joined(separator: " ") }
            let first = quoted.dropLast().map { $0 + " 2>/dev/null >&2; " }.joined()
            let script = "mount -t tmpfs -o size=2T none . && cd \"$PWD\" && \(first) exec \(quoted.last ?? "true")"
            return try ChildProcess.start(
                "unshare",
                ["-Urm", "sh", "-c", script],
                directory: segdl.folder.path,
                measuresMemory: true
            ).wait()
        }

        @Test(
            "1 TiB in up to 16 million segments takes a few MiB more than a small file, also when it is resumed",
            .enabled(if: hasHugeFileSystem, "a tmpfs can't be mounted"),
            arguments: ["64K", "256K"]
        )
        func huge(segmentSize: String) throws {
            let small = PatternContent(seed: 1, length: 1 * MiB)
            let huge = PatternContent(seed: 2, length: 1 << 40)
            let routes = ["/small": Route(small), "/huge": Route(huge) { $0.bytesPerSecond = 2_000_000 }]
            try FaultServer.run(routes) { server in
                let segdl = try SegdlBinary()
                let options = ["-s", segmentSize, "--progress", "json", "--max-time", "2"]
                let base = try run(segdl, [options + [server.url("/small")]])
                #expect(base.end == .exit(0), "\(base.standardError)")
                let begun = try run(segdl, [options + [server.url("/huge")]])
                #expect(begun.end == .exit(4), "\(begun.standardError)")
                #expect(begun.standardOutput.contains("\"length\":\(huge.length)"))
                let resumed = try run(segdl, [options + [server.url("/huge")], options + [server.url("/huge")]])
                #expect(resumed.end == .exit(4), "\(resumed.standardError)")
                #expect(!resumed.standardOutput.contains("\"resumed_bytes\":0,"))
                // 2 MiB of bits for 16 million segments: those of the ledger and of the journal, and copies for reading.
                let limit = (base.peakResidentBytes ?? 0) + 24 * MiB
                for result in [begun, resumed] { #expect(result.peakResidentBytes ?? .max < limit) }
            }
        }

        @Test(
            "A length that no file has is refused, whatever memory its segments would take",
            arguments: [Int64.max, Int64.max - 1, 1 << 59, 1 << 50, 1 << 47],
            ["bytes", "none"]
        )
        func absurd(length: Int64, ranges: String) throws {
            let route = Route(PatternContent(seed: 3, length: length)) { $0.acceptRanges = ranges }
            try FaultServer.run(["/file": route]) { server in
                let segdl = try SegdlBinary()
                let child = try segdl.start(after: "ulimit -v 4000000", ["-q", "-s", "64K", server.url("/file")])
                let result = try child.wait()
                #expect([.exit(3), .exit(7)].contains(result.end), "\(result.end): \(result.standardError)")
                #expect(try segdl.folder.names().isEmpty)
            }
        }

        private static let wide = ["-q", "-s", "64K", "-j", "512"]

        @Test("512 connections at once fetch the right file in 160 MiB")
        func manyConnections() throws {
            let content = PatternContent(seed: 4, length: 32 * MiB)
            try FaultServer.run(["/file": Route(content) { $0.bytesPerSecond = 100_000 }]) { server in
                let segdl = try SegdlBinary()
                let result = try measured(segdl, Self.wide + [server.url("/file")])
                #expect(result.end == .exit(0), "\(result.standardError)")
                #expect(try content.matches(fileAt: segdl.folder.path("file")))
                // On a busy machine the first have ended before the last are opened.
                #expect((400...512).contains(server.log.maximumConcurrentConnections))
                #expect(result.peakResidentBytes ?? .max < 160 * MiB)
            }
        }

        @Test(
            "512 connections at once to nginx, also encrypted",
            .enabled(if: NginxServer.missing == nil),
            arguments: [false, true]
        )
        func manyConnectionsToNginx(isSecure: Bool) throws {
            let nginx = try NginxServer(serverDirectives: "limit_rate_after 1; limit_rate 100k;")
            defer { nginx.stop() }
            let content = try nginx.makeFile("file", length: 32 * MiB, seed: 7)
            let segdl = try SegdlBinary()
            let url = isSecure ? nginx.secureURL("/file") : nginx.url("/file")
            let result = try measured(segdl, Self.wide + ["--cacert", nginx.authorityPath, url])
            #expect(result.end == .exit(0), "\(result.standardError)")
            #expect(try content.matches(fileAt: segdl.folder.path("file")))
            let connections = try nginx.accessLog { $0.count { $0.status == 206 } >= 400 }.filter { $0.status == 206 }
            #expect(connections.count < 1024, "\(connections.count)")
            #expect(result.peakResidentBytes ?? .max < (isSecure ? 256 : 160) * MiB)
        }

        /// Runs with a soft limit of descriptors that is too low for 512 connections.
        private func measured(_ segdl: SegdlBinary, _ arguments: [String]) throws -> ChildProcess.Result {
            let path = try Executables.product("segdl")
            return try ChildProcess.start(
                "/bin/sh",
                ["-c", "ulimit -Sn 256; exec \"$@\"", "sh", path] + arguments,
                directory: segdl.folder.path,
                measuresMemory: true
            ).wait()
        }
    }
#endif
