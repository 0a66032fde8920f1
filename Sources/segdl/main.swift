import SegdlCommand

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

exit(SegdlCommand.run(arguments: Array(CommandLine.arguments.dropFirst())))
