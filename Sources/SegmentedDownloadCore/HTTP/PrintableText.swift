extension String {
    /// The text, fit for a message: what a terminal obeys or that turns the direction of reading becomes `?`. Whatever
    /// may hold words of a server goes through here: host names, certificates' subjects that libcurl quotes, names.
    package var printable: String {
        guard unicodeScalars.contains(where: { !$0.isPrintable }) else { return self }
        var result = UnicodeScalarView()
        for scalar in unicodeScalars { result.append(scalar.isPrintable ? scalar : "?") }
        return String(result)
    }
}

extension Unicode.Scalar {
    fileprivate var isPrintable: Bool {
        if (0x20..<0x7F).contains(value) { return true }
        return switch properties.generalCategory {
        case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}
