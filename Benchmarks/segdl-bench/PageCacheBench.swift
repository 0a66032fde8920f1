import Foundation
import SegmentedDownloadTestSupport

/// What a download about as large as memory does to what other programs have in the page cache, and how long its last
/// sync takes. The server makes its bytes up, so that what it sends stands in no page cache.
struct PageCacheBench {
    private static let witnessByteCount = 2 * Int64.gibibyte

    private let workplace: Workplace
    private let byteCount: Int64
    /// What another program works with.
    private let witness: String

    /// - Parameters:
    ///   - workplace: Where to work; there must be room for the file, and 2 GiB.
    ///   - isQuick: Half of the file.
    init(_ workplace: Workplace, isQuick: Bool) {
        self.workplace = workplace
        byteCount = (isQuick ? 10 : 20) * .gibibyte
        witness = workplace.scratch + "/witness"
    }

    /// Runs each contender once, shows what came of it, and writes `page-cache.txt`.
    ///
    /// - Throws: ``BenchError`` where a contender fails or brings wrong bytes.
    func run() throws {
        try PatternContent(seed: 2, length: Self.witnessByteCount).write(toFileAt: witness)
        defer { try? remove(witness) }
        let server = try ScriptedServer(bytesPerSecond: nil)
        defer { server.stop() }
        let resource = try server.serve(FileSet(byteCount: byteCount))
        var shown = Table([
            byteCount.byteUnits, "seconds", "last sync, s", "others' 2 GiB: MiB cached before", "after",
            "file: MiB cached",
        ])
        shown.append(try row(.segdl(telling: workplace.segdl, jobs: "8"), resource, server))
        report(shown.text)
        let digest = try FileDigest.sha256(ofFileAt: workplace.downloads + "/file")
        var checked = Contender.segdl(telling: workplace.segdl, jobs: "8", options: ["--checksum=sha256:\(digest)"])
        checked.name = "segdl -j8 --checksum"
        shown.append(try row(checked, resource, server))
        report(shown.text)
        shown.append(try row(.curlThenSync, resource, server))
        _ = try workplace.emptiedDownloads()
        let text = machineDescription() + "\n" + shown.text
        print(text)
        try workplace.write(text, to: "page-cache.txt")
    }

    private func row(_ contender: Contender, _ resource: Resource, _ server: any BenchServer) throws -> [String] {
        report("\(byteCount.byteUnits): \(contender.name)")
        // Twice: what was read only once is what the kernel gives up first.
        for _ in 0..<2 { _ = try FileDigest.sha256(ofFileAt: witness) }
        let before = try cachedMebibytes(witness)
        var after: (witness: String, file: String) = ("", "")
        let cost = try fetch(resource, with: contender.command, from: server, workplace) { folder in
            after = (try cachedMebibytes(witness), try cachedMebibytes(folder + "/file"))
        }
        let lastSync = Self.lastSync(in: cost.output)?.decimal(2) ?? "-"
        return [contender.name, cost.elapsed.decimal(1), lastSync, before, after.witness, after.file]
    }

    /// How much of a file the page cache holds; fincore(1).
    private func cachedMebibytes(_ path: String) throws -> String {
        let result = try ChildProcess.run("fincore", ["--bytes", "--noheadings", "--output=RES", path])
        guard let bytes = Int64(result.standardOutput.filter(\.isNumber)) else {
            throw BenchError("fincore(1) said '\(result.standardOutput)\(result.standardError)' of \(path).")
        }
        return "\(bytes / .mebibyte)"
    }

    /// Seconds between the events (docs/json-events.md) of the phase's begin and of what follows; `nil` where there are
    /// none.
    private static func lastSync(in output: String) -> Double? {
        let events = output.split(separator: "\n").compactMap { line in
            try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        }
        let rest = events.drop { $0["phase"] as? String != "syncing" }
        guard let begin = rest.first?["time"] as? Double,
            let end = rest.first(where: { $0["phase"] as? String != "syncing" })?["time"] as? Double
        else { return nil }
        return end - begin
    }
}
