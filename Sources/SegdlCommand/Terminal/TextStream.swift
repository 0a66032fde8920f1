import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A descriptor that text is written to. Once a write failed, for instance because a pipe's reader is gone, nothing
/// more is written: the download goes on. Any thread may call it.
package final class TextStream: Sendable {
    /// The descriptor.
    package let fd: Int32
    private let isBroken = Atomic<Bool>(false)

    /// A stream that does not own its descriptor.
    package init(fd: Int32) {
        self.fd = fd
    }

    /// Writes all of a text (write(2)); blocks where the reader is slow.
    package func write(_ text: String) {
        guard !text.isEmpty, !isBroken.load(ordering: .relaxed) else { return }
        var text = text
        let isComplete = text.withUTF8 { writeAll(UnsafeRawBufferPointer($0)) }
        if !isComplete { isBroken.store(true, ordering: .relaxed) }
    }

    private func writeAll(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let chunk = UnsafeRawBufferPointer(rebasing: rest)
            let (written, code) = attempt(chunk)
            if written > 0 {
                rest = rest.dropFirst(written)
            } else if code == EAGAIN {
                waitUntilWritable()
            } else if code != EINTR {
                return false
            }
        }
        return true
    }

    /// errno is read where the call was made, before anything else can change it.
    @inline(never)
    private func attempt(_ bytes: UnsafeRawBufferPointer) -> (written: Int, code: Int32) {
        #if canImport(Darwin)
            let written = Darwin.write(fd, bytes.baseAddress, bytes.count)
        #elseif canImport(Musl)
            let written = Musl.write(fd, bytes.baseAddress, bytes.count)
        #else
            let written = Glibc.write(fd, bytes.baseAddress, bytes.count)
        #endif
        return (written, written < 0 ? errno : 0)
    }

    /// A terminal that another program made non-blocking answers EAGAIN.
    private func waitUntilWritable() {
        var entry = pollfd(fd: fd, events: Int16(POLLOUT), revents: 0)
        _ = poll(&entry, 1, -1)
    }
}
