/// One combination of the sweep.
struct SweepCell: Hashable {
    /// What one Range request asks for.
    enum RequestMode: String, CaseIterable {
        /// One request per segment.
        case segment
        /// A run of segments as long as the scheduler wants.
        case auto
    }

    var link: Link
    var connections: Int
    var segmentSize: Int64
    var mode: RequestMode

    /// The most that one request asks for, in bytes; `nil` sets no limit.
    var requestSize: Int64? { mode == .segment ? segmentSize : nil }

    /// The options of `segdl`, besides the number of connections, that make this cell.
    var options: [String] {
        ["--segment-size=\(segmentSize)", "--request-size=\(requestSize.map(String.init) ?? "auto")"]
    }
}

/// What the sweep found out about one cell.
struct CellResult {
    var cell: SweepCell
    /// The resource's length.
    var byteCount: Int64
    /// From the start of the process to its end, in seconds.
    var elapsed: Double
    /// Requests that the server logged, the probe included.
    var requestCount: Int
    /// See ``Swift/Array/tail(connections:)``.
    var tail: Double
    /// After a kill at half time: body bytes that the server had sent, minus bytes of segments that the journal holds.
    /// `nil` where it always ended before.
    var lostByteCount: Int64?
    /// User and system time of the process, in seconds.
    var cpu: Double

    var bytesPerSecond: Double { Double(byteCount) / elapsed }

    static let headings = [
        "link", "connections", "segment_bytes", "request", "file_bytes", "seconds", "bytes_per_second", "requests",
        "tail_seconds", "lost_bytes", "cpu_seconds",
    ]

    /// Cells of a CSV row under ``headings``.
    var row: [String] {
        [
            cell.link.rawValue, "\(cell.connections)", "\(cell.segmentSize)", cell.mode.rawValue, "\(byteCount)",
            elapsed.decimal(4), bytesPerSecond.decimal(0), "\(requestCount)", tail.decimal(4),
            lostByteCount.map(String.init) ?? "",
            cpu.decimal(4),
        ]
    }

    static let shownHeadings = [
        "connections", "segment", "request", "MB/s", "requests", "tail ms", "lost MiB", "CPU s/GB",
    ]

    /// Cells of a row for people under ``shownHeadings``.
    var shownRow: [String] {
        [
            "\(cell.connections)", cell.segmentSize.byteUnits, cell.mode.rawValue, (bytesPerSecond / 1e6).decimal(1),
            "\(requestCount)", (tail * 1e3).decimal(0),
            lostByteCount.map { (Double($0) / Double(Int64.mebibyte)).decimal(1) } ?? "-",
            (cpu / Double(byteCount) * 1e9).decimal(2),
        ]
    }
}
