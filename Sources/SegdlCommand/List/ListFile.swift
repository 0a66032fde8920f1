package import SegmentedDownload

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A list that is open, and is read as it is needed. A class, since an array holds no noncopyable values; one thread
/// uses it at a time.
package final class ListFile {
    /// How long one look at a pipe takes at most, in milliseconds.
    private static let glance: Int32 = 100
    /// Lists up to so many bytes are read once more beforehand, to know how many entries there are.
    private static let longestCounted: off_t = 64 << 20

    private let fd: Int32
    private let ownsDescriptor: Bool
    private let name: String
    private let patience: Int
    private var splitter = LineSplitter()
    private var parser: ListParser
    private var ready: ArraySlice<ListParser.Item> = []
    private var isAtEnd = false

    /// Opens a list.
    ///
    /// - Parameters:
    ///   - source: Which.
    ///   - patience: After so many looks of 100 ms at a pipe that brings nothing, the last URL is taken to be complete.
    /// - Throws: `localFile` where it can't be opened.
    package init(_ source: Options.ListSource, patience: Int = 10) throws(DownloadError) {
        self.patience = patience
        switch source {
        case .standardInput:
            (fd, ownsDescriptor, name) = (STDIN_FILENO, false, "standard input")
        case .file(let path):
            name = "'\(Terminal.sanitised(path))'"
            fd = open(path, O_RDONLY | O_CLOEXEC)
            let code = errno
            guard fd >= 0 else { throw Self.unreadable(name, code) }
            ownsDescriptor = true
        }
        parser = ListParser(name: name)
        // A folder can be opened, and not read.
        guard status.map({ $0.st_mode & S_IFMT != S_IFDIR }) ?? true else { throw Self.unreadable(name, EISDIR) }
    }

    deinit {
        if ownsDescriptor { close(fd) }
    }

    /// How many entries there are; `nil` where that can't be known beforehand, as with a pipe.
    package var entryCount: Int? {
        guard let status, status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.longestCounted else { return nil }
        var offset = lseek(fd, 0, SEEK_CUR)
        guard offset >= 0 else { return nil }
        var splitter = LineSplitter()
        var count = 0
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let length = pread(fd, &buffer, buffer.count, offset)
            // Whatever is wrong here is told of when the entries are read.
            guard length > 0 else { break }
            splitter.add(buffer[..<length]) { ListParser.count($0, &count) }
            offset += off_t(length)
        }
        if let line = splitter.finish() { ListParser.count(line, &count) }
        return count
    }

    /// Whether all entries have been read.
    package var isExhausted: Bool { isAtEnd && ready.isEmpty }

    /// The next entry. Blocks until a pipe has brought one.
    ///
    /// - Parameter isStopped: Asked every tenth of a second of waiting: whether nothing is needed any more.
    /// - Returns: The entry, or what is wrong with it; `nil` at the end, and where nothing is needed.
    package func next(isStopped: () -> Bool) -> ListParser.Item? {
        while ready.isEmpty, !isAtEnd {
            guard wait(isStopped) else { return nil }
        }
        return ready.popFirst()
    }

    private var status: stat? {
        var status = stat()
        return fstat(fd, &status) == 0 ? status : nil
    }

    /// Reads once, or completes the last URL where nothing comes.
    ///
    /// - Returns: Whether to go on.
    private func wait(_ isStopped: () -> Bool) -> Bool {
        var silentCount = 0
        while true {
            var entry = pollfd(fd: fd, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, Self.glance) == 0 else {
                read()
                return true
            }
            if isStopped() { return false }
            silentCount += 1
            // A line that is under way may belong to the URL.
            guard silentCount >= patience, parser.hasPending, !splitter.isWithinLine else { continue }
            ready += [parser.finish(isEarly: true)].compactMap { $0 }
            return true
        }
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        let (count, code) = Self.attempt(fd, &buffer)
        var parser = parser
        var items: [ListParser.Item] = []
        if count > 0 {
            splitter.add(buffer[..<count]) { line in items += [parser.add(line)].compactMap { $0 } }
        } else if code != EINTR, code != EAGAIN {
            isAtEnd = true
            let last = splitter.finish().flatMap { parser.add($0) }
            items += [last, parser.finish()].compactMap { $0 }
            if count < 0 { items.append(.failure(Self.unreadable(name, code))) }
        }
        self.parser = parser
        ready = items[...]
    }

    /// errno is read where the call was made, before anything else can change it.
    @inline(never)
    private static func attempt(_ fd: Int32, _ buffer: inout [UInt8]) -> (count: Int, code: Int32) {
        #if canImport(Darwin)
            let count = Darwin.read(fd, &buffer, buffer.count)
        #elseif canImport(Musl)
            let count = Musl.read(fd, &buffer, buffer.count)
        #else
            let count = Glibc.read(fd, &buffer, buffer.count)
        #endif
        return (count, count < 0 ? errno : 0)
    }

    private static func unreadable(_ name: String, _ code: Int32) -> DownloadError {
        DownloadError(
            .localFile,
            "The list \(name) can't be read: check the name and its permissions.",
            underlying: String(cString: strerror(code))
        )
    }
}
