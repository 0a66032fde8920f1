import Foundation

/// How much memory a child has at most, on systems where `wait4` does not tell.
///
/// On Linux a spawned child's `ru_maxrss` begins with its parent's: it shares the parent's memory until `execve`, which
/// books that memory's high-water mark (measured: 64 MB for `sh` from a test). `VmHWM` begins anew with the program.
enum PeakMemory {
    /// Follows a child's high-water mark until it ends.
    ///
    /// What is added in the last 2 ms before the end is missed; the mark itself never goes down.
    ///
    /// - Parameter id: A child that nobody reaps meanwhile.
    /// - Returns: Bytes; nil where the system has no such mark, and `ru_maxrss` is right.
    static func follow(_ id: pid_t) -> Int64? {
        #if os(Linux)
            var peak: Int64 = 0
            while let now = highWaterMark(id) {
                peak = max(peak, now)
                usleep(2000)
            }
            return peak
        #else
            return nil
        #endif
    }

    /// `VmHWM` in bytes; nil when the process has ended and given its memory back. See proc(5).
    private static func highWaterMark(_ id: pid_t) -> Int64? {
        let text = try? String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)
        let line = text?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.flatMap { Int64($0.filter(\.isNumber)) }.map { $0 * 1024 }
    }
}
