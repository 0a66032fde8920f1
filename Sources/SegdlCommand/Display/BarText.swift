import SegmentedDownload

/// One frame of the bar.
package enum BarText {
    /// How a frame may look.
    package struct Style: Sendable {
        /// Whether block characters may be used.
        package var isUnicode: Bool
        /// Whether colours may be used.
        package var isColored: Bool

        /// A style.
        package init(isUnicode: Bool, isColored: Bool) {
            self.isUnicode = isUnicode
            self.isColored = isColored
        }
    }

    private static let gap = 2
    private static let shortestMap = 8
    private static let preferredMap = 10
    private static let longestName = 24

    /// A frame that takes at most `width - 1` columns: many terminals wrap when the last one is filled. Where there
    /// is little room, name, map, connections, time, bytes and rate go, in this order.
    ///
    /// - Parameters:
    ///   - name: The file's name, sanitised.
    ///   - snapshot: Where the download stands; its width counts.
    ///   - meter: The rate.
    ///   - style: What the terminal can show.
    /// - Returns: One line, without a line feed.
    package static func frame(name: String, _ snapshot: Snapshot, _ meter: RateMeter, _ style: Style) -> String {
        let room = snapshot.width - 1
        var fields: [String] = []
        var used = 0
        for field in self.fields(snapshot.progress, meter) {
            let needed = Terminal.width(of: field) + (fields.isEmpty ? 0 : gap)
            guard used + needed <= room else { break }
            fields.append(field)
            used += needed
        }
        let left = nameAndMap(name, snapshot, room: room - used, style)
        return (left + fields).joined(separator: String(repeating: " ", count: gap))
    }

    /// The fields right of the map, the most important first.
    private static func fields(_ progress: DownloadProgress?, _ meter: RateMeter) -> [String] {
        guard let progress, progress.phase != .probing else { return ["asking the server"] }
        let percent = Percent.value(held: progress.doneByteCount, of: progress.length)
        let share = percent.map { padded("\($0) %", to: 5) } ?? ByteText.text(progress.doneByteCount)
        guard [.transferring, .ended].contains(progress.phase) else { return [share, progress.phase.rawValue] }
        var fields = [share, padded(meter.bytesPerSecond.map(ByteText.rate) ?? "", to: 11)]
        if let length = progress.length {
            fields.append(ByteText.pair(progress.heldByteCount, of: length))
            fields.append("eta " + padded(timeLeft(progress, length, meter), to: 4))
        }
        return fields + ["\(progress.connectionCount) conn"]
    }

    private static func timeLeft(_ progress: DownloadProgress, _ length: Int64, _ meter: RateMeter) -> String {
        meter.secondsLeft(for: length - progress.heldByteCount).map(TimeText.clock) ?? "-:--"
    }

    private static func nameAndMap(_ name: String, _ snapshot: Snapshot, room: Int, _ style: Style) -> [String] {
        let hasMap = snapshot.progress?.length != nil && room >= shortestMap + 2 + gap
        let nameRoom = min(longestName, room - gap - (hasMap ? preferredMap + 2 + gap : 0))
        // A name of which fewer than 4 columns are left says nothing.
        let shownName = nameRoom >= 4 ? Terminal.clipped(name, to: nameRoom) : ""
        var parts = shownName.isEmpty ? [] : [shownName]
        let mapRoom = room - gap - 2 - (shownName.isEmpty ? 0 : Terminal.width(of: shownName) + gap)
        let cells = hasMap && mapRoom > 0 ? snapshot.segmentMap(mapRoom).prefix(mapRoom) : []
        if !cells.isEmpty {
            let map = SegmentMapText.text(Array(cells), isUnicode: style.isUnicode)
            parts.append(style.isColored ? "[\u{1B}[36m\(map)\u{1B}[0m]" : "[\(map)]")
        }
        return parts
    }

    /// Right-aligned, so that the fields to the right stay where they are.
    private static func padded(_ text: String, to width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
