/// The entries of a run, one after the other: the URLs of the command line, then those of its lists.
package struct EntrySource {
    /// How many there are; `nil` where that can't be known beforehand.
    package let count: Int?

    private var urls: ArraySlice<String>
    private var lists: ArraySlice<ListFile>

    /// The entries of a command line.
    ///
    /// - Parameters:
    ///   - urls: The URLs, checked.
    ///   - lists: The lists, read from where they stand.
    package init(urls: [String], lists: [ListFile]) {
        self.urls = urls[...]
        self.lists = lists[...]
        count = lists.reduce(urls.count) { sum, list in
            guard let sum, let count = list.entryCount else { return nil }
            return sum + count
        }
    }

    /// Whether all entries have been read.
    package var isExhausted: Bool { urls.isEmpty && lists.isEmpty }

    /// The next entry. Blocks until a pipe has brought one.
    ///
    /// - Parameter isStopped: Asked every tenth of a second of waiting: whether nothing is needed any more.
    /// - Returns: The entry, or what is wrong with it; `nil` at the end, and where nothing is needed.
    package mutating func next(isStopped: () -> Bool) -> ListParser.Item? {
        if let url = urls.popFirst() { return .success(ListEntry(url: url)) }
        while let list = lists.first {
            if let item = list.next(isStopped: isStopped) { return item }
            guard list.isExhausted else { return nil }
            lists.removeFirst()
        }
        return nil
    }
}
