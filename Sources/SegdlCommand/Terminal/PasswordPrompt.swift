#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Asks for a password on the controlling terminal, without showing what is typed.
package enum PasswordPrompt {
    /// Asks, and blocks until a line was typed.
    ///
    /// A signal that would end the process while the echo is off is let through only after it is on again.
    ///
    /// - Parameter user: The user whose password it is.
    /// - Returns: The password; `nil` where there is no terminal, or its end was reached.
    package static func ask(for user: String) -> String? {
        let fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard fd >= 0 else { return nil }
        defer { close(fd) }
        let stream = TextStream(fd: fd)
        stream.write("Password for '\(Terminal.sanitised(user))': ")
        let password = withoutEcho(fd) { readLine(fd) }
        stream.write("\n")
        return password
    }

    private static func withoutEcho(_ fd: Int32, _ body: () -> String?) -> String? {
        var saved = termios()
        guard tcgetattr(fd, &saved) == 0 else { return nil }
        let previousMask = SignalMask.block(SignalMask.ending)
        var silent = saved
        silent.c_lflag &= ~tcflag_t(ECHO)
        guard tcsetattr(fd, TCSAFLUSH, &silent) == 0 else {
            SignalMask.restore(previousMask)
            return nil
        }
        let result = body()
        tcsetattr(fd, TCSAFLUSH, &saved)
        // A signal that came meanwhile now does what it does.
        SignalMask.restore(previousMask)
        return result
    }

    private static func readLine(_ fd: Int32) -> String? {
        var bytes: [UInt8] = []
        while true {
            guard waitUntilReadable(fd) else { return nil }
            var byte: UInt8 = 0
            let count = read(fd, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return nil }
            if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
            // The terminal's own line is shorter (MAX_CANON).
            guard bytes.count < 4096 else { return nil }
        }
    }

    /// Looks every tenth of a second whether a signal waits; a person types meanwhile.
    private static func waitUntilReadable(_ fd: Int32) -> Bool {
        var entry = pollfd(fd: fd, events: Int16(POLLIN), revents: 0)
        while true {
            if poll(&entry, 1, 100) > 0 { return true }
            if SignalMask.isPending(SignalMask.ending) { return false }
        }
    }
}
