import Foundation
import SegmentedDownloadTestSupport

/// The command line of `segdl-bench`.
enum BenchCommand {
    private static let usage = """
        usage: segdl-bench segment-sizes [--link loopback|capped|wide]...
               segdl-bench peers | links | tail | auto | small-files | durable | checksum [--rounds N]
               segdl-bench memory | page-cache | scheduler
               segdl-bench check

        check does a little of everything but durable and page-cache, for its correctness. All take --quick (small files, one round; what is
        written goes to .build/bench-results), --segdl FILE (.build/release/segdl), the program to measure, and --downloads
        FOLDER, on the disk to measure. links, auto, small-files, the wide link of the others, and check need root.
        """

    private struct Arguments {
        var isQuick = false
        var links: [Link] = []
        var rounds: Int?
        var segdl = ".build/release/segdl"
        var downloads: String?

        /// - Throws: ``BenchError`` where they are wrong.
        init(_ words: ArraySlice<String>) throws {
            var words = words
            while let word = words.popFirst() {
                if word == "--quick" {
                    isQuick = true
                    continue
                }
                guard let value = words.popFirst() else { throw BenchError("'\(word)' is unknown, or lacks its value") }
                switch word {
                case "--link": links.append(try Self.parsed(value, Link.init))
                case "--rounds": rounds = try Self.parsed(value) { Int($0).flatMap { $0 > 0 ? $0 : nil } }
                case "--segdl": segdl = value
                case "--downloads": downloads = value
                default: throw BenchError("unknown argument '\(word)'")
                }
            }
        }

        private static func parsed<Value>(_ text: String, _ parse: (String) -> Value?) throws -> Value {
            guard let value = parse(text) else { throw BenchError("'\(text)' is no such value") }
            return value
        }
    }

    /// Runs the command line.
    ///
    /// - Parameter words: Without the program's own name.
    /// - Returns: The exit status: 1 where a benchmark fails, 2 where the command line is wrong.
    static func run(_ words: [String]) -> Int32 {
        let name = words.first ?? ""
        let arguments: Arguments
        do {
            arguments = try Arguments(words.dropFirst())
        } catch {
            return fail("segdl-bench: \(error)\n\(usage)", status: 2)
        }
        guard let run = commands[name] else { return fail(usage, status: 2) }
        do {
            let isQuick = arguments.isQuick || name == "check"
            let workplace = try Workplace(segdl: arguments.segdl, downloads: arguments.downloads, isQuick: isQuick)
            let rounds = arguments.rounds ?? (isQuick ? 1 : 5)
            compactMemory()
            try run(Scope(workplace: workplace, rounds: rounds, isQuick: isQuick), arguments.links)
            return 0
        } catch {
            return fail("segdl-bench: \(error)", status: 1)
        }
    }

    private static let commands: [String: @Sendable (Scope, [Link]) throws -> Void] = [
        "segment-sizes": { scope, links in
            let links = links.isEmpty ? Link.allCases : links
            try SegmentSizeSweep(scope.workplace, links: links, isQuick: scope.isQuick).run()
        },
        "peers": { scope, _ in try ComparisonBench(scope.workplace, "peers", scope.peers).run() },
        "links": { scope, _ in try ComparisonBench(scope.workplace, "links", scope.links).run() },
        "tail": { scope, _ in try scope.runTail() },
        "auto": { scope, _ in try scope.runAuto() },
        "small-files": { scope, _ in try scope.runSmallFiles() },
        "durable": { scope, _ in try ComparisonBench(scope.workplace, "durable", scope.durable).run() },
        "checksum": { scope, _ in try ComparisonBench(scope.workplace, "checksum", scope.checksum()).run() },
        "page-cache": { scope, _ in try PageCacheBench(scope.workplace, isQuick: scope.isQuick).run() },
        "scheduler": { _, _ in report(SchedulerBench().run().text) },
        "memory": { scope, _ in try MemoryBench(scope.workplace, isQuick: scope.isQuick).run() },
        "check": { scope, _ in try scope.check() },
    ]

    private static func fail(_ message: String, status: Int32) -> Int32 {
        report(message)
        return status
    }
}
