/// The subcommands that are more than comparisons.
extension Scope {
    /// The comparisons, and what each connection brought in one download with a slow connection.
    func runTail() throws {
        try ComparisonBench(workplace, "tail", tail).run()
        let server = try oneSlowVenue(workplace)
        defer { server.stop() }
        let resource = try server.serve(FileSet(byteCount: tailByteCount))
        let title = "one of 8 connections at 20 KB/s, the others at 4 MB/s"
        report("timeline: \(title)")
        let cost = try fetch(
            resource,
            with: Contender.segdl(telling: segdl, jobs: "8").command,
            from: server,
            workplace
        )
        let chart = try TimelineChart(title, events: cost.output)
        try workplace.write(machineDescription() + chart.table.csv, to: "timeline.csv")
        try chart.draw(to: workplace.result("timeline.svg"))
    }

    func runAuto() throws {
        let comparisons = try auto()
        let notes = comparisons.isEmpty ? ["This segdl refuses '-j auto' (status 2): nothing to compare."] : []
        try ComparisonBench(workplace, "auto", comparisons, notes: notes).run()
    }

    func runSmallFiles() throws {
        let comparisons = try smallFiles()
        let notes = comparisons.isEmpty ? ["This segdl refuses '-i' (status 2): nothing to compare."] : []
        try ComparisonBench(workplace, "small-files", comparisons, notes: notes).run()
    }

    /// A little of everything, for its correctness: every byte is compared, every table and chart written.
    ///
    /// - Throws: ``BenchError`` where anything fails.
    func check() throws {
        try SegmentSizeSweep(workplace, links: [.capped], isQuick: true).run()
        try ComparisonBench(workplace, "peers", peers).run()
        try ComparisonBench(workplace, "links", links).run()
        try runTail()
        try runAuto()
        try runSmallFiles()
        try ComparisonBench(workplace, "checksum", checksum()).run()
        try MemoryBench(workplace, isQuick: true).run()
        for name in ["peers", "links", "tail", "checksum"] {
            for suffix in ["csv", "txt", "svg"] { try workplace.checkResult("\(name).\(suffix)") }
        }
        for name in [
            "segment-sizes-capped.svg", "timeline.csv", "timeline.svg", "auto.txt", "small-files.txt", "memory.csv",
        ] {
            try workplace.checkResult(name)
        }
    }
}
