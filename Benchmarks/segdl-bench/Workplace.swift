import Foundation
import SegmentedDownloadTestSupport

/// Where the harness works and what it runs. All paths are absolute.
struct Workplace {
    /// The release build of `segdl`.
    let segdl: String
    /// A folder for what is served, and also for what is fetched unless that goes to another disk.
    let scratch: String
    /// The folder for what is fetched, on the disk that is to be measured.
    let downloads: String
    /// Where tables and charts go.
    private let results: String
    /// Peers that are no Debian packages, and what was compiled for the benchmarks.
    let tools: String
    /// The script of the wide link.
    let netlab: String

    /// The workplace in the repository that is the current folder.
    ///
    /// - Parameters:
    ///   - segdl: The program to measure.
    ///   - downloads: Where to download to; `nil` for the repository's own disk.
    ///   - isQuick: Whether results are only looked at: they don't overwrite those of the repository.
    /// - Throws: ``BenchError`` where the program is missing.
    init(segdl: String, downloads: String? = nil, isQuick: Bool = false) throws {
        let root = FileManager.default.currentDirectoryPath
        self.segdl = segdl.hasPrefix("/") ? segdl : "\(root)/\(segdl)"
        scratch = "\(root)/.build/bench"
        self.downloads = (downloads ?? scratch) + "/downloads"
        results = isQuick ? "\(root)/.build/bench-results" : "\(root)/Benchmarks/results"
        tools = "\(root)/.build/bench-tools"
        netlab = "\(root)/Benchmarks/netlab/netlab"
        guard FileManager.default.isExecutableFile(atPath: self.segdl) else {
            throw BenchError("\(self.segdl) is missing: run this by scripts/bench, which builds it.")
        }
        try makeFolder(scratch)
        try makeFolder(results)
    }

    /// The path of a table or a chart.
    func result(_ name: String) -> String { "\(results)/\(name)" }

    /// Writes a table or a chart.
    func write(_ text: String, to name: String) throws {
        try segdl_bench.write(text, toFileAt: result(name))
    }

    /// - Throws: ``BenchError`` where a table or a chart is missing or empty.
    func checkResult(_ name: String) throws {
        guard try !readText(result(name)).isEmpty else { throw BenchError("\(result(name)) is empty.") }
    }

    /// Whether this `segdl` has options.
    func takes(_ options: String...) throws -> Bool {
        try ChildProcess.run(segdl, options + ["--help"]).end == .exit(0)
    }

    /// Empties the folder for what is fetched, or makes it.
    ///
    /// - Parameter movesAside: Whether what is in it is only moved out of the way. Ext4 looks at each inode that was freed within the last
    ///   minutes before it gives one to a new file: after a thousand removals, that was a third of the next run's processor time.
    /// - Returns: Its path.
    func emptiedDownloads(movesAside: Bool = false) throws -> String {
        if movesAside, FileManager.default.fileExists(atPath: downloads) {
            try FileManager.default.moveItem(atPath: downloads, toPath: "\(downloads)-\(UUID())")
        }
        try remove(downloads)
        try makeFolder(downloads)
        return downloads
    }
}

/// What was measured, one a line, as the programs say it themselves.
func versions(_ workplace: Workplace) -> String {
    let programs =
        [workplace.segdl, "aria2c", "axel", "curl", "lftp", "wget2"].map { [$0, "--version"] }
        + [["nginx", "-v"], [workplace.tools + "/venv/bin/pip", "freeze"]]
    return programs.map { program in
        let result = try? ChildProcess.run(program[0], Array(program.dropFirst()))
        let lines = result.map { ($0.standardOutput + $0.standardError).split(whereSeparator: \.isNewline) } ?? []
        return (lines.first.map(String.init) ?? "\(program[0]) is missing") + "\n"
    }.joined()
}

/// What the numbers were measured on, as comment lines (`#`) for a CSV file.
func machineDescription() -> String {
    let processor =
        (try? readText("/proc/cpuinfo"))?
        .split(separator: "\n").first { $0.hasPrefix("model name") }?
        .split(separator: ":").last.map { $0.drop { $0 == " " } } ?? "unknown processor"
    let kernel = (try? readText("/proc/sys/kernel/osrelease"))?.split(separator: "\n").first ?? "unknown kernel"
    let day = ISO8601DateFormatter.string(from: Date(), timeZone: .gmt, formatOptions: .withFullDate)
    return "# \(day), \(ProcessInfo.processInfo.activeProcessorCount) × \(processor), Linux \(kernel)\n"
}
