/// A terminal's last line, which is drawn again and again.
struct BarLine: Sendable {
    private static let erase = "\r\u{1B}[K"

    private var frame = ""

    /// Whether nothing stands there.
    var isEmpty: Bool { frame.isEmpty }

    /// Puts a frame in the place of what stands there.
    mutating func draw(_ frame: String) -> String {
        self.frame = frame
        return Self.erase + frame
    }

    /// Takes away what stands there.
    mutating func clear() -> String {
        defer { frame = "" }
        return frame.isEmpty ? "" : Self.erase
    }

    /// Lines that go above what stands there.
    func above(_ lines: String) -> String {
        lines.isEmpty || frame.isEmpty ? lines : Self.erase + lines + frame
    }
}
