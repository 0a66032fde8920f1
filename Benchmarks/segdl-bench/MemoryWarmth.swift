#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Touches as much free memory as a run will fill with its file.
///
/// A virtual machine tells its host which large blocks are free (free page reporting), after two seconds, and the host takes
/// them away. Whoever gets one first waits while the host gives it back, page by page: 1 GiB took 1 s longer, for whichever
/// contender came to write large pieces into a large block, so that runs of one program fell into two groups.
func warmMemory(byteCount: Int64) {
    // More takes longer than the host.
    let length = Int(min(byteCount, 4 * .gibibyte))
    guard length > 0, let memory = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0),
        memory != MAP_FAILED
    else { return }
    defer { munmap(memory, length) }
    #if os(Linux)
        madvise(memory, length, MADV_HUGEPAGE)
    #endif
    for offset in stride(from: 0, to: length, by: 4096) {
        memory.storeBytes(of: 1, toByteOffset: offset, as: UInt8.self)
    }
}

/// Makes large free blocks from many small ones, where that is allowed (Linux, root): what hours of builds leave is not
/// what is to be measured.
func compactMemory() {
    guard let file = fopen("/proc/sys/vm/compact_memory", "w") else { return }
    fputs("1\n", file)
    fclose(file)
}
