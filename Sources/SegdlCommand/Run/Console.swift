#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// What the command sees of the world: two streams and the environment.
package struct Console: Sendable {
    /// Carries what was asked for: help, version, JSON.
    package let output: TextStream
    /// Carries everything else.
    package let error: TextStream
    /// Looks a variable up.
    package let environment: @Sendable (_ name: String) -> String?

    /// A console.
    package init(
        output: TextStream,
        error: TextStream,
        environment: @escaping @Sendable (_ name: String) -> String?
    ) {
        self.output = output
        self.error = error
        self.environment = environment
    }

    /// The console of this process.
    package static func ofProcess() -> Console {
        Console(
            output: TextStream(fd: STDOUT_FILENO),
            error: TextStream(fd: STDERR_FILENO),
            environment: { name in getenv(name).map { String(cString: $0) } }
        )
    }
}
