import Foundation

/// strace(1), which shows a program's system calls, and makes chosen ones fail or kill.
package enum Strace {
    /// Why it can't be used here; `nil` where it can.
    package static let missing: String? = {
        guard let strace = Executables.installed("strace") else { return "strace is not installed" }
        let result = try? ChildProcess.run(strace, ["-f", "-o", "/dev/null", "true"])
        return result?.end == .exit(0) ? nil : "strace can't trace here: \(result?.standardError ?? "")"
    }()

    /// The words that run a program under strace with an injection.
    ///
    /// - Parameters:
    ///   - calls: A system call's name, or `/` and a regular expression.
    ///   - injection: Such as `signal=KILL:when=2`, or `error=ENOLCK`. A signal comes right before the call, which is then
    ///     not made. Each thread counts its own calls.
    ///   - isDetached: Whether the started process becomes the program, so that it can be sent signals, and strace one
    ///     beside it.
    /// - Returns: The words before the program's own.
    package static func injecting(_ injection: String, into calls: String, isDetached: Bool = false) -> [String] {
        ["strace"] + (isDetached ? ["-D"] : [])
            + ["-f", "-o", "/dev/null", "-e", "trace=\(calls)", "-e", "inject=\(calls):\(injection)"]
    }
}
