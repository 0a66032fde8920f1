/// Lines without control codes for a run of several entries: one at the start, one for each that ended, and one about all of
/// them every few seconds at most.
package struct PlainListPresenter: EntryPresenter {
    /// A line that says that nothing moved comes every so many intervals.
    private static let patience = 6
    /// How many open files a line names.
    private static let namedCount = 3

    package var messages: EntryMessages
    private var meter = RateMeter()
    private var last: (endedCount: Int, byteCount: Int64) = (0, 0)
    private var silentTicks = 0

    /// Plain lines.
    package init(_ messages: MessageText) {
        self.messages = EntryMessages(messages)
    }

    package var interval: Duration? { .seconds(5) }

    package mutating func begin(_ entry: Entry, _ snapshot: Snapshot) -> String {
        messages.begin(entry)
        guard entry.number == 1 else { return "" }
        return messages.general.alone(
            "fetching \(snapshot.run.totalCount.map(RunText.counted) ?? "the files of a list")"
        )
    }

    package mutating func tick(_ snapshot: Snapshot) -> String {
        let state = ListText.State(snapshot)
        meter.add(byteCount: state.receivedByteCount, at: snapshot.runElapsed)
        silentTicks += 1
        let hasMoved = last != (snapshot.run.endedCount, state.receivedByteCount)
        guard hasMoved || silentTicks >= Self.patience else { return "" }
        last = (snapshot.run.endedCount, state.receivedByteCount)
        silentTicks = 0
        let names = state.names(messages).prefix(Self.namedCount)
        let open = names.isEmpty ? [] : ["at " + names.joined(separator: ", ")]
        return messages.general.alone((ListText.fields(state, meter) + open).joined(separator: ", "))
    }
}
