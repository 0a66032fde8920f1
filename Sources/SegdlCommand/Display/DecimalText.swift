/// Numbers as text, with a fixed number of places. `String(format:)` would link Foundation.
package enum DecimalText {
    /// A number with so many places after the point, rounded; the point is always a point.
    ///
    /// - Parameters:
    ///   - value: The number; what is not finite counts as 0, and what is too large as 10^15.
    ///   - places: 0 to 3.
    /// - Returns: The number's figures.
    package static func fixed(_ value: Double, places: Int) -> String {
        let scale = [1, 10, 100, 1000][min(max(places, 0), 3)]
        let bounded = value.isFinite ? min(max(value, -1e15), 1e15) : 0
        let scaled = Int((bounded * Double(scale)).rounded())
        guard scale > 1 else { return String(scaled) }
        let fraction = String(scaled.magnitude % UInt(scale))
        let zeros = String(repeating: "0", count: max(0, places - fraction.utf8.count))
        return "\(scaled < 0 ? "-" : "")\(scaled.magnitude / UInt(scale)).\(zeros)\(fraction)"
    }

    /// At most three places, without zeros at the end: `0.5`, `20`.
    package static func shortest(_ value: Double) -> String {
        var text = fixed(value, places: 3)
        while text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return text
    }
}

extension Duration {
    /// Seconds, rounded to what a Double holds.
    package var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
