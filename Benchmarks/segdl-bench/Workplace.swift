import Foundation

/// Where the harness works and what it runs. All paths are absolute.
struct Workplace {
    /// The release build of `segdl`.
    let segdl: String
    /// A folder for what is served, and also for what is fetched unless that goes to another disk.
    let scratch: String
    /// The folder for what is fetched, on the disk that is to be measured.
    let downloads: String
    /// Where tables and charts go.
    let results: String
    /// The script of the wide link.
    let netlab: String

    /// The workplace in the repository that is the current folder.
    ///
    /// - Parameters:
    ///   - segdl: The program to measure.
    ///   - downloads: Where to download to; `nil` for the repository's own disk.
    /// - Throws: ``BenchError`` where the program is missing.
    init(segdl: String, downloads: String? = nil) throws {
        let root = FileManager.default.currentDirectoryPath
        self.segdl = segdl.hasPrefix("/") ? segdl : "\(root)/\(segdl)"
        scratch = "\(root)/.build/bench"
        self.downloads = (downloads ?? scratch) + "/downloads"
        results = "\(root)/Benchmarks/results"
        netlab = "\(root)/Benchmarks/netlab/netlab"
        guard FileManager.default.isExecutableFile(atPath: self.segdl) else {
            throw BenchError("\(self.segdl) is missing: run this by scripts/bench, which builds it.")
        }
        try makeFolder(scratch)
        try makeFolder(results)
    }

    /// Empties the folder for what is fetched, or makes it.
    ///
    /// - Returns: Its path.
    func emptiedDownloads() throws -> String {
        try remove(downloads)
        try makeFolder(downloads)
        return downloads
    }
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
