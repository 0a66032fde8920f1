/// Measurements of one quantity.
struct Sample {
    private let sorted: [Double]

    /// - Parameter values: At least one.
    init(_ values: [Double]) {
        precondition(!values.isEmpty)
        sorted = values.sorted()
    }

    var minimum: Double { sorted[0] }
    var maximum: Double { sorted[sorted.count - 1] }

    /// The middle value; of an even number, the mean of the two in the middle.
    var median: Double {
        (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }
}

extension Double {
    /// The number with a fixed count of decimals, 0 to 6.
    func decimal(_ places: Int) -> String {
        var scale: Int64 = 1
        for _ in 0..<places { scale *= 10 }
        guard isFinite, magnitude < 1e12 else { return "\(self)" }
        let scaled = Int64((magnitude * Double(scale)).rounded())
        let sign = self < 0 && scaled > 0 ? "-" : ""
        guard places > 0 else { return "\(sign)\(scaled)" }
        let fraction = String(scaled % scale)
        return "\(sign)\(scaled / scale).\(String(repeating: "0", count: places - fraction.count))\(fraction)"
    }
}

extension Int64 {
    static let kibibyte: Int64 = 1024
    static let mebibyte: Int64 = 1024 * 1024
    static let gibibyte: Int64 = 1024 * 1024 * 1024

    /// A whole number of the largest unit that divides it, for instance `64 KiB`.
    var byteUnits: String {
        switch self {
        case let count where count % .gibibyte == 0: "\(count / .gibibyte) GiB"
        case let count where count % .mebibyte == 0: "\(count / .mebibyte) MiB"
        case let count where count % .kibibyte == 0: "\(count / .kibibyte) KiB"
        default: "\(self) B"
        }
    }
}
