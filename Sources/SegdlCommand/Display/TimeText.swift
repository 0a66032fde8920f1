/// Spans of time as text.
package enum TimeText {
    /// What a download took: `0.9 s`, `1:05`, `2:00:09`.
    package static func taken(_ duration: Duration) -> String {
        let seconds = max(0, duration.inSeconds)
        if seconds < 0.0995 { return DecimalText.fixed(seconds, places: 2) + " s" }
        return seconds < 59.95 ? DecimalText.fixed(seconds, places: 1) + " s" : clock(Int64(seconds.rounded()))
    }

    /// What is left: `0:05`, `1:02:03`, `3 d 4 h`.
    ///
    /// - Parameter seconds: 0 or more.
    /// - Returns: The span in words and figures.
    package static func clock(_ seconds: Int64) -> String {
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        if hours >= 48 { return "\(hours / 24) d \(hours % 24) h" }
        return hours > 0 ? "\(hours):\(two(minutes)):\(two(seconds % 60))" : "\(minutes):\(two(seconds % 60))"
    }
}
