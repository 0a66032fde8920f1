/// Numbers of bytes as text, in powers of 1024 (IEC 80000-13).
package enum ByteText {
    private static let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]

    /// `512 B`, `441.2 MiB`, `1.0 GiB`.
    package static func text(_ byteCount: Int64) -> String {
        text(Double(byteCount))
    }

    /// `112.3 MiB/s`.
    package static func rate(_ bytesPerSecond: Double) -> String {
        text(bytesPerSecond) + "/s"
    }

    /// Two numbers in the unit of the second: `0.4/1.0 GiB`.
    package static func pair(_ part: Int64, of whole: Int64) -> String {
        let (_, unit) = scaled(Double(whole))
        let divisor = (0..<unit).reduce(1.0) { power, _ in power * 1024 }
        let places = unit == 0 ? 0 : 1
        let numbers = [part, whole].map { DecimalText.fixed(Double($0) / divisor, places: places) }
        return "\(numbers[0])/\(numbers[1]) \(units[unit])"
    }

    /// The shortest text that an option takes and that means exactly so many bytes: `64K`, `1G`, `65537`.
    package static func exact(_ byteCount: Int64) -> String {
        var number = byteCount
        var unit = 0
        while unit < 4, number != 0, number % 1024 == 0 {
            number /= 1024
            unit += 1
        }
        return "\(number)\(["", "K", "M", "G", "T"][unit])"
    }

    private static func text(_ byteCount: Double) -> String {
        let (number, unit) = scaled(byteCount)
        return "\(DecimalText.fixed(number, places: unit == 0 ? 0 : 1)) \(units[unit])"
    }

    private static func scaled(_ byteCount: Double) -> (number: Double, unit: Int) {
        var number = byteCount.isFinite ? max(byteCount, 0) : 0
        var unit = 0
        // 1023.95 would be shown as 1024.0.
        while number >= (unit == 0 ? 1023.5 : 1023.95), unit < units.count - 1 {
            number /= 1024
            unit += 1
        }
        return (number, unit)
    }
}
