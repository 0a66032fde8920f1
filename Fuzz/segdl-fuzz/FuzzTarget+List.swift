import SegdlCommand
import SegmentedDownload

// Lists of URLs, which other programs write.
extension FuzzTarget {
    /// A whole list.
    static let list = FuzzTarget(name: "list") { input in
        let whole = read(input, pieces: max(input.count, 1))
        // A pipe may deliver in pieces of any size.
        require(read(input, pieces: 7) == whole, "other entries where the list comes in pieces")
        for item in whole {
            switch item {
            case .failure(let error):
                require(error.kind == .usage && error.message.hasPrefix("Line "), "no line: \(error.message)")
                require(!error.message.utf8.contains { $0 < 0x20 }, "a raw message: \(error.message)")
            case .success(let entry):
                require(!entry.url.utf8.contains { $0 == 0 || $0 == 0x0A }, "a URL of two lines: \(entry.url)")
                require(entry.output?.isEmpty != true && entry.directory?.isEmpty != true, "an empty name")
                require(entry.output?.utf8.contains(0) != true, "a name that ends early")
                for header in entry.headers {
                    require(!header.utf8.contains { $0 == 0x0A || $0 == 0x0D }, "a header of two lines: \(header)")
                }
            }
        }
    }

    private static func read(_ input: [UInt8], pieces: Int) -> [ListParser.Item] {
        var splitter = LineSplitter()
        var parser = ListParser(name: "'list'")
        var items: [ListParser.Item] = []
        var count = 0
        func add(_ line: ListLine) {
            ListParser.count(line, &count)
            if let item = parser.add(line) { items.append(item) }
        }
        for start in stride(from: 0, to: input.count, by: pieces) {
            splitter.add(input[start..<min(start + pieces, input.count)], add)
        }
        if let line = splitter.finish() { add(line) }
        if let item = parser.finish() { items.append(item) }
        require(items.count == count, "\(count) entries were counted, and \(items.count) came")
        return items
    }
}
