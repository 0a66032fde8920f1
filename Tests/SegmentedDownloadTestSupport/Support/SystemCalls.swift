import Foundation

/// Repeats a system call while it is interrupted, and throws where it returns a negative number.
///
/// - Parameters:
///   - name: What the error names.
///   - body: The call.
/// - Returns: What the call returned, 0 or more.
/// - Throws: The call's name and the errno in words.
@discardableResult
func check<Number: SignedInteger>(
    _ name: @autoclosure () -> String,
    _ body: () -> Number
) throws(TestSupportError) -> Number {
    while true {
        let result = body()
        let code = errno
        if result >= 0 { return result }
        if code != EINTR { throw TestSupportError(call: name(), errno: code) }
    }
}

/// The text of an errno, from `strerror`.
func describe(errno code: Int32) -> String {
    String(cString: strerror(code))
}

/// Keeps a descriptor from being inherited by children, which would hold sockets and pipes open (`FD_CLOEXEC`).
func setCloseOnExec(_ fd: Int32) {
    _ = fcntl(fd, F_SETFD, FD_CLOEXEC)
}

/// A pipe whose both ends are closed on exec.
func makePipe() throws(TestSupportError) -> (readEnd: Int32, writeEnd: Int32) {
    var ends: [Int32] = [-1, -1]
    try check("pipe") { pipe(&ends) }
    ends.forEach(setCloseOnExec)
    return (ends[0], ends[1])
}
