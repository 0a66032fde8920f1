import Foundation
import SegmentedDownloadTestSupport

/// The command line of `segdl-bench`.
enum BenchCommand {
    private static let usage = """
        usage: segdl-bench segment-sizes [--quick] [--link loopback|capped|wide]...
               segdl-bench peers [--rounds N]
               segdl-bench durable [--rounds N]
               segdl-bench checksum [--rounds N]
               segdl-bench page-cache [--quick]
               segdl-bench scheduler

        All take --segdl FILE (.build/release/segdl), the program to measure, and --downloads FOLDER, on the disk to
        measure. The wide link needs root.
        """

    /// Runs the command line.
    ///
    /// - Parameter arguments: Without the program's own name.
    /// - Returns: The exit status: 1 where a benchmark fails, 2 where the command line is wrong.
    static func run(_ arguments: [String]) -> Int32 {
        var words = arguments[...]
        let command = words.popFirst()
        var isQuick = false
        var links: [Link] = []
        var rounds = 7
        var segdl = ".build/release/segdl"
        var downloads: String?
        while let word = words.popFirst() {
            switch word {
            case "--quick": isQuick = true
            case "--link":
                guard let link = words.popFirst().flatMap(Link.init) else { return fail(usage, status: 2) }
                links.append(link)
            case "--rounds":
                guard let number = words.popFirst().flatMap(Int.init), number > 0 else { return fail(usage, status: 2) }
                rounds = number
            case "--segdl":
                guard let path = words.popFirst() else { return fail(usage, status: 2) }
                segdl = path
            case "--downloads":
                guard let path = words.popFirst() else { return fail(usage, status: 2) }
                downloads = path
            default: return fail("segdl-bench: unknown argument '\(word)'\n\(usage)", status: 2)
            }
        }
        do {
            let workplace = try Workplace(segdl: segdl, downloads: downloads)
            switch command {
            case "segment-sizes":
                try SegmentSizeSweep(workplace, links: links.isEmpty ? Link.allCases : links, isQuick: isQuick).run()
            case "peers": try PeerBench(workplace, rounds: rounds).run()
            case "durable": try PeerBench(workplace, rounds: rounds).runDurable()
            case "checksum": try ChecksumBench(workplace, rounds: rounds).run()
            case "page-cache": try PageCacheBench(workplace, isQuick: isQuick).run()
            case "scheduler": report(SchedulerBench().run().text)
            default: return fail(usage, status: 2)
            }
            return 0
        } catch {
            return fail("segdl-bench: \(error)", status: 1)
        }
    }

    private static func fail(_ message: String, status: Int32) -> Int32 {
        report(message)
        return status
    }
}
