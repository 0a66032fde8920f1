import Foundation

/// `posix_spawnp` with Swift's types.
enum Spawn {
    /// Starts a program with default signal handling and an empty signal mask.
    ///
    /// - Parameters:
    ///   - path: The executable, or a name that is looked up in PATH.
    ///   - arguments: Without the program's own name.
    ///   - environment: All variables, as `NAME=value`.
    ///   - descriptors: What the child has as 0, 1, 2, and so on.
    /// - Returns: The process id.
    /// - Throws: A sentence with the path.
    static func run(
        _ path: String,
        _ arguments: [String],
        environment: [String],
        descriptors: [Int32]
    ) throws -> pid_t {
        #if os(Linux)
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #else
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        // Copies with high numbers, so that no source is overwritten before its turn.
        let sources = try descriptors.map { fd in
            try check("fcntl F_DUPFD_CLOEXEC") { fcntl(fd, F_DUPFD_CLOEXEC, 64) }
        }
        defer { sources.forEach { close($0) } }
        for (target, fd) in sources.enumerated() { posix_spawn_file_actions_adddup2(&actions, fd, Int32(target)) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var id: pid_t = 0
        let code = withCStrings([path] + arguments) { argv in
            withCStrings(environment) { posix_spawnp(&id, path, &actions, &attributes, argv, $0) }
        }
        if code != 0 { throw TestSupportError(call: "start \(path)", errno: code) }
        return id
    }

    /// This process's environment with changes.
    static func merged(_ changes: [String: String?]) -> [String] {
        var environment = ProcessInfo.processInfo.environment
        for (name, value) in changes { environment[name] = value }
        return environment.map { "\($0)=\($1)" }
    }

    private static func withCStrings<Result>(
        _ strings: [String],
        _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) }
        defer { copies.forEach { free($0) } }
        return body(copies + [nil])
    }
}
