#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// What standard error leads to, and how it may be written to.
package struct Terminal: Sendable {
    private let fd: Int32
    private let columnsVariable: Int?
    /// Whether it is a terminal that obeys control codes.
    package let isCapable: Bool
    /// Whether characters beyond ASCII may be printed.
    package let isUnicode: Bool
    /// Whether colours may be used.
    package let isColored: Bool

    /// Looks at a descriptor and the environment.
    ///
    /// - Parameters:
    ///   - fd: The descriptor that is written to.
    ///   - environment: Looks a variable up.
    package init(fd: Int32, environment: (String) -> String?) {
        func variable(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
        let kind = variable("TERM")
        self.fd = fd
        columnsVariable = variable("COLUMNS").flatMap(Int.init)
        isCapable = isatty(fd) == 1 && kind != nil && kind != "dumb"
        let locale = (variable("LC_ALL") ?? variable("LC_CTYPE") ?? variable("LANG") ?? "").lowercased()
        isUnicode = locale.firstRange(of: "utf-8") != nil || locale.firstRange(of: "utf8") != nil
        isColored = isCapable && variable("NO_COLOR") == nil
    }

    /// Whether `segdl` runs in the terminal's foreground: a job in the background that draws would spoil what its
    /// user types, or be stopped (SIGTTOU).
    package var isForeground: Bool {
        tcgetpgrp(fd) == getpgrp()
    }

    /// Whether a bar may be drawn now.
    package var isDrawable: Bool {
        isCapable && isForeground
    }

    /// The columns of a line: `COLUMNS`, else what the terminal says now, else 80; 1 to 1000. Asked for at each
    /// redraw, which makes a handler of SIGWINCH needless.
    package var width: Int {
        var size = winsize()
        let isReported = isCapable && ioctl(fd, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        let reported = isReported ? Int(size.ws_col) : nil
        return min(max(columnsVariable ?? reported ?? 80, 1), 1000)
    }
}
