import SegmentedDownloadTestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// What one run of a command cost.
struct RunCost {
    /// Wall time from its start to its end, in seconds.
    var elapsed: Double
    /// User and system time of the process and of the children that it waited for, in seconds: wait4(2).
    var cpu: Double
    /// What it wrote to standard output.
    var output: String
    /// As ``Comparison/counting`` says; 0 where nobody counted.
    var connectionCount = 0.0
}

/// A benchmark that can't go on.
struct BenchError: Error, CustomStringConvertible {
    /// One sentence for a person.
    var description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Runs a command, found by `PATH`, to its end.
///
/// - Throws: ``BenchError`` with what it said, where it fails; `TestSupportError` after five minutes.
@discardableResult
func run(_ command: [String]) throws -> RunCost {
    let begin = ContinuousClock.now
    let result = try ChildProcess.run(command[0], Array(command.dropFirst()), timeout: .seconds(300))
    let elapsed = ContinuousClock.now - begin
    guard result.end == .exit(0) else {
        let said = result.standardError + result.standardOutput
        throw BenchError("'\(command.joined(separator: " "))' failed (\(result.end)): \(said)")
    }
    return RunCost(
        elapsed: elapsed.inSeconds,
        cpu: result.processorTime.inSeconds,
        output: result.standardOutput
    )
}

/// Runs a command, found by `PATH`, and kills it.
///
/// - Returns: Whether it still ran by then.
/// - Throws: `TestSupportError` where it can't be started.
func run(_ command: [String], killedAfter seconds: Double) throws -> Bool {
    let child = try ChildProcess.start(command[0], Array(command.dropFirst()))
    usleep(UInt32(seconds * 1e6))
    child.kill(SIGKILL)
    return try child.wait().end == .signal(SIGKILL)
}
