import Foundation

/// A program that a test runs: started with `posix_spawn`, its output captured, its end and its costs known exactly.
///
///     let segdl = try ChildProcess.start(try Executables.find("segdl"), ["-j", "8", url])
///     try server.waitUntil { $0.bytesSent > 1_000_000 }
///     segdl.kill(SIGKILL)
///     #expect(try segdl.wait().end == .signal(SIGKILL))
///
/// All members may be called from any thread. A child that is still running when the last reference goes is killed.
package final class ChildProcess: Sendable {
    /// How a child ended.
    package enum End: Sendable, Equatable {
        /// It exited with this status.
        case exit(Int32)
        /// A signal ended it.
        case signal(Int32)
    }

    /// What is known after a child's end.
    package struct Result: Sendable {
        /// How it ended.
        package let end: End
        /// All it wrote to standard output.
        package let standardOutput: String
        /// All it wrote to standard error.
        package let standardError: String
        /// User and system time.
        package let processorTime: Duration
        /// The most memory that was resident, in bytes; nil where that was not asked for.
        package let peakResidentBytes: Int64?

        /// The exit status; nil where a signal ended it.
        package var exitStatus: Int32? { if case .exit(let status) = end { status } else { nil } }
    }

    private struct State {
        var output: [UInt8] = []
        var errors: [UInt8] = []
        var openPipes = 2
        var end: End?
        var usage = rusage()
        var peakResidentBytes: Int64?

        /// Adds what a pipe gave; nothing means that it has ended.
        mutating func take(_ bytes: ArraySlice<UInt8>, into stream: WritableKeyPath<State, [UInt8]>) {
            self[keyPath: stream] += bytes
            if bytes.isEmpty { openPipes -= 1 }
        }
    }

    /// The process id.
    package let id: Int32
    private let state: Monitor<State>
    private let inputPipe: Monitor<Int32?>
    private let name: String

    private init(id: pid_t, name: String, inputPipe: Int32) {
        self.id = id
        self.name = name
        self.inputPipe = Monitor(inputPipe)
        state = Monitor(State())
    }

    deinit {
        kill(SIGKILL)
        endInput()
    }

    /// Starts a program. Its standard input is a pipe that ends when the object goes, or when this process dies.
    ///
    /// - Parameters:
    ///   - path: The executable, with a slash, or a name that is looked up in PATH.
    ///   - arguments: Without the program's own name.
    ///   - environment: Variables to set or, where nil, to leave out; the others are inherited.
    ///   - directory: The working directory; this process's where nil.
    ///   - descriptors: What the child has open as 3, 4, and so on.
    ///   - measuresMemory: Whether ``Result/peakResidentBytes`` is wanted, which costs 500 small reads a second.
    /// - Returns: The running child.
    /// - Throws: A sentence where it can't be started.
    package static func start(
        _ path: String,
        _ arguments: [String] = [],
        environment: [String: String?] = [:],
        directory: String? = nil,
        descriptors: [Int32] = [],
        measuresMemory: Bool = false
    ) throws -> ChildProcess {
        let input = try makePipe()
        let output = try makePipe()
        let errors = try makePipe()
        defer { [input.readEnd, output.writeEnd, errors.writeEnd].forEach { close($0) } }
        // glibc hides posix_spawn_file_actions_addchdir_np from Swift; the shell becomes the program, with the same id.
        let moving = directory.map { ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", $0] } ?? []
        let command = moving + [path] + arguments
        do {
            let id = try Spawn.run(
                command[0],
                Array(command.dropFirst()),
                environment: Spawn.merged(environment),
                descriptors: [input.readEnd, output.writeEnd, errors.writeEnd] + descriptors
            )
            let child = ChildProcess(id: id, name: path, inputPipe: input.writeEnd)
            child.startThreads(output: output.readEnd, errors: errors.readEnd, measuresMemory: measuresMemory)
            return child
        } catch {
            [input.writeEnd, output.readEnd, errors.readEnd].forEach { close($0) }
            throw error
        }
    }

    /// Runs a program to its end.
    ///
    /// - Parameters:
    ///   - path: The executable, with a slash, or a name that is looked up in PATH.
    ///   - arguments: Without the program's own name.
    ///   - environment: Variables to set or, where nil, to leave out; the others are inherited.
    ///   - directory: The working directory; this process's where nil.
    ///   - measuresMemory: Whether ``Result/peakResidentBytes`` is wanted.
    ///   - timeout: After this it is killed.
    /// - Returns: How it ended and what it wrote.
    /// - Throws: A sentence where it can't be started, or the time is up.
    package static func run(
        _ path: String,
        _ arguments: [String] = [],
        environment: [String: String?] = [:],
        directory: String? = nil,
        measuresMemory: Bool = false,
        timeout: Duration = .seconds(60)
    ) throws -> Result {
        let child = try start(
            path,
            arguments,
            environment: environment,
            directory: directory,
            measuresMemory: measuresMemory
        )
        return try child.wait(timeout: timeout)
    }

    /// Sends a signal. Does nothing after the child's end: its id may be another's by then.
    package func kill(_ signal: Int32) {
        state.read { state in
            if state.end == nil { _ = Foundation.kill(id, signal) }
        }
    }

    /// Blocks the calling thread until the child has ended and its output is read.
    ///
    /// - Parameter timeout: After this it is killed.
    /// - Returns: How it ended and what it wrote.
    /// - Throws: A sentence with what it wrote so far, where the time is up.
    @discardableResult
    package func wait(timeout: Duration = .seconds(60)) throws -> Result {
        // A grandchild that inherited the pipes may hold them open beyond the child's end: that is an error too.
        guard state.wait(timeout: timeout, until: { $0.end != nil && $0.openPipes == 0 }) else {
            kill(SIGKILL)
            let sofar = state.read { String(decoding: $0.output + $0.errors, as: UTF8.self) }
            throw TestSupportError("\(name) has not ended in \(timeout.inSeconds) s; it wrote: \(sofar.suffix(2000))")
        }
        return state.read { state in
            Result(
                end: state.end ?? .exit(-1),
                standardOutput: String(decoding: state.output, as: UTF8.self),
                standardError: String(decoding: state.errors, as: UTF8.self),
                processorTime: state.usage.processorTime,
                peakResidentBytes: state.peakResidentBytes
            )
        }
    }

    /// Writes to the child's standard input, and blocks while its pipe is full.
    ///
    /// - Parameter text: What it reads.
    /// - Throws: A sentence where the input was ended. A child that has closed it raises SIGPIPE here.
    package func writeInput(_ text: String) throws {
        guard let fd = inputPipe.read({ $0 }) else { throw TestSupportError("\(name)'s input was ended") }
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = try check("write") { bytes.withUnsafeBytes { write(fd, $0.baseAddress, $0.count) } }
            bytes = bytes.dropFirst(count)
        }
    }

    /// Ends the child's standard input.
    package func endInput() {
        inputPipe.withLock { fd in
            if let fd { close(fd) }
            fd = nil
        }
    }

    /// How the child ended; nil while it runs.
    package var end: End? { state.read { $0.end } }

    /// Blocks the calling thread until the output is as wanted: `try child.waitForOutput { $0.contains("ready") }`.
    ///
    /// - Parameters:
    ///   - timeout: How long at most.
    ///   - predicate: Given standard output and then standard error so far, each time something comes.
    /// - Throws: A sentence where the child ends before, or the time is up.
    package func waitForOutput(timeout: Duration = .seconds(20), _ predicate: (String) -> Bool) throws {
        var isFound = false
        _ = state.wait(timeout: timeout) { state in
            isFound = predicate(String(decoding: state.output + state.errors, as: UTF8.self))
            return isFound || (state.end != nil && state.openPipes == 0)
        }
        if !isFound { throw TestSupportError("\(name) did not write what a test waits for") }
    }

    private func startThreads(output: Int32, errors: Int32, measuresMemory: Bool) {
        let threads = ThreadGroup()
        let state = state
        threads.start { Self.read(output) { bytes in state.withLock { $0.take(bytes, into: \.output) } } }
        threads.start { Self.read(errors) { bytes in state.withLock { $0.take(bytes, into: \.errors) } } }
        threads.start { [id] in Self.reap(id, state, measuresMemory: measuresMemory) }
    }

    private static func read(_ fd: Int32, _ take: (ArraySlice<UInt8>) -> Void) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var count = 0
        repeat {
            count = (try? check("read") { Foundation.read(fd, &buffer, buffer.count) }) ?? 0
            if count == 0 { close(fd) }
            take(buffer[..<count])
        } while count > 0
    }

    private static func reap(_ id: pid_t, _ state: Monitor<State>, measuresMemory: Bool) {
        var info = siginfo_t()
        let peak = measuresMemory ? PeakMemory.follow(id) : nil
        // Waits without reaping, so that `kill` can't hit another process that was given the same id meanwhile.
        _ = try? check("waitid") { waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT) }
        state.withLock { state in
            var status: Int32 = 0
            _ = try? check("wait4") { wait4(id, &status, 0, &state.usage) }
            if measuresMemory { state.peakResidentBytes = peak ?? Int64(state.usage.ru_maxrss) }
            let signal = status & 0x7F
            state.end = signal == 0 ? .exit(status >> 8 & 0xFF) : .signal(signal)
        }
    }
}

extension rusage {
    /// User and system time together.
    fileprivate var processorTime: Duration {
        [ru_utime, ru_stime].reduce(.zero) { $0 + .seconds($1.tv_sec) + .microseconds($1.tv_usec) }
    }
}
