import SegdlCommand

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

let status = SegdlCommand.run()
#if DEBUG
    // Sanitizers and coverage make their reports when a process exits.
    exit(status)
#else
    // All is written and closed. The libraries' exit handlers would only give memory back, block by block.
    _exit(status)
#endif
