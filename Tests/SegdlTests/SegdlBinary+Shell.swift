import Foundation
import SegmentedDownloadCore
import SegmentedDownloadTestSupport

extension SegdlBinary {
    /// Starts the program as the shell leaves it after `prelude`: with its limits, its umask, its ignored signals.
    func start(after prelude: String, _ arguments: [String], descriptors: [Int32] = []) throws -> ChildProcess {
        let command = [try Executables.product("segdl"), "--retry-wait", "0.02"] + arguments
        return try ChildProcess.start(
            "/bin/sh",
            ["-c", "\(prelude); exec \"$@\" \(descriptors.isEmpty ? "" : ">&3")", "sh"] + command,
            directory: folder.path,
            descriptors: descriptors
        )
    }

    /// Blocks until the journal of a name holds so many finished bytes.
    ///
    /// - Throws: A sentence with what it holds, where the time is up.
    func waitForJournal(of name: String, finishedByteCount: Int64, timeout: Duration = .seconds(30)) throws {
        let deadline = ContinuousClock.now + timeout
        while true {
            let held = journal(of: name).map { Complement(of: $0).finishedByteCount } ?? 0
            if held >= finishedByteCount { return }
            if .now > deadline {
                throw TestSupportError("the journal holds \(held) bytes, and \(finishedByteCount) are awaited")
            }
            // A file is no thing to wait on; nothing depends on the length of this pause.
            Thread.sleep(forTimeInterval: 0.005)
        }
    }
}
