#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Has the page cache take as much free memory as a run will fill with its file, and give it back.
///
/// A virtual machine tells its host which blocks of memory are free (free page reporting), after two seconds, and the host
/// takes them away. Whoever gets one first waits while the host gives it back, page by page: 1 GiB took 1 s longer, for
/// whichever contender came to write pieces of the size of such a block's parts, so that runs of one program fell into two
/// groups. Hence once with small pieces and once with large ones: they come from different lists of the kernel's.
///
/// - Throws: ``BenchError`` where the file can't be made or written.
func warmMemory(byteCount: Int64, in directory: String) throws {
    // More takes longer than the host does.
    let length = min(byteCount, 4 * .gibibyte)
    for pieceSize: Int64 in [16 * .kibibyte, 128 * .kibibyte] {
        let path = directory + "/warm"
        let fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard fd >= 0 else { throw BenchError("\(path) can't be made: \(String(cString: strerror(errno))).") }
        defer {
            close(fd)
            unlink(path)
        }
        let piece = [UInt8](repeating: 1, count: Int(pieceSize))
        for offset in stride(from: 0, to: length, by: Int(pieceSize)) {
            let count = Int(min(pieceSize, length - offset))
            guard write(fd, piece, count) == count else {
                throw BenchError("\(path) can't be written: \(String(cString: strerror(errno))).")
            }
        }
    }
}

/// Makes large free blocks from many small ones, where that is allowed (Linux, root): what hours of builds leave is not
/// what is to be measured.
func compactMemory() {
    guard let file = fopen("/proc/sys/vm/compact_memory", "w") else { return }
    fputs("1\n", file)
    fclose(file)
}
