import SegmentedDownload

/// Where a run of several entries stands, in one line.
package enum ListText {
    /// What the line is about.
    package struct State {
        /// What came of the entries that have ended.
        package let tally: RunTally
        /// The others.
        package let open: [OpenEntry]

        /// Where the run stands.
        package init(_ snapshot: Snapshot) {
            tally = snapshot.run
            open = snapshot.open()
        }

        /// Body bytes that the run received.
        package var receivedByteCount: Int64 {
            open.reduce(tally.receivedByteCount) { $0 + ($1.progress?.receivedByteCount ?? 0) }
        }

        /// Connections with a request under way.
        package var connectionCount: Int {
            open.reduce(0) { $0 + ($1.progress?.connectionCount ?? 0) }
        }

        /// The names of the open files, each with the percent that is held where the length is known.
        package func names(_ messages: EntryMessages) -> [String] {
            open.map { entry in
                let progress = entry.progress
                let percent = progress.flatMap { Percent.value(held: $0.doneByteCount, of: $0.length) }
                return messages[entry.number].name + (percent.map { " \($0) %" } ?? "")
            }
        }
    }

    /// The fields without the names, the most important first.
    package static func fields(_ state: State, _ meter: RateMeter) -> [String] {
        var fields = [RunText.files(state.tally), ByteText.text(state.receivedByteCount)]
        if let rate = meter.bytesPerSecond { fields.append(ByteText.rate(rate)) }
        if state.tally.failedCount > 0 { fields.append("\(state.tally.failedCount) failed") }
        return fields + ["\(state.connectionCount) conn"]
    }

    /// A frame of the bar that takes at most `width - 1` columns: the fields, then as many names as there is room for.
    ///
    /// - Parameters:
    ///   - state: Where the run stands.
    ///   - meter: The rate.
    ///   - names: The names of the open files, sanitised.
    ///   - width: The columns of a line.
    /// - Returns: One line, without a line feed.
    package static func frame(_ state: State, _ meter: RateMeter, _ names: [String], width: Int) -> String {
        var line = ""
        for part in fields(state, meter) + names {
            let next = line.isEmpty ? part : "\(line)  \(part)"
            guard Terminal.width(of: next) < width else { break }
            line = next
        }
        return line
    }
}
