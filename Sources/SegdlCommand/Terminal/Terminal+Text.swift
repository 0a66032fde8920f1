extension Terminal {
    /// Text that a terminal shows and does not obey. Everything that may stem from a server, a URL or a file's name
    /// goes through here: escape sequences, line breaks and marks that turn the direction of reading become `?`.
    ///
    /// - Parameters:
    ///   - text: Any text.
    ///   - isASCII: Whether everything beyond ASCII becomes `?` too.
    /// - Returns: The text, with as many scalars as before.
    package static func sanitised(_ text: some StringProtocol, isASCII: Bool = false) -> String {
        // Most texts are of such bytes alone, and are not worth a look-up for each.
        guard !text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return String(text) }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            result.append(isUnsafe(scalar) || (isASCII && !scalar.isASCII) ? "?" : scalar)
        }
        return String(result)
    }

    /// Whether a scalar is a command to the terminal, or changes how others are shown.
    static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x20..<0x7F: return false
        default: break
        }
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator: return true
        default: return false
        }
    }

    /// How many columns a text takes.
    ///
    /// - Parameter text: Sanitised text.
    /// - Returns: The number of columns.
    package static func width(of text: String) -> Int {
        text.reduce(0) { $0 + width(of: $1) }
    }

    /// A text that takes at most so many columns; where some of it is left out, `~` ends it.
    ///
    /// - Parameters:
    ///   - text: Sanitised text.
    ///   - columns: The room that there is.
    /// - Returns: The text, or its beginning and `~`.
    package static func clipped(_ text: String, to columns: Int) -> String {
        guard width(of: text) > columns else { return text }
        guard columns > 0 else { return "" }
        var result = ""
        var used = 1
        for character in text {
            used += width(of: character)
            guard used <= columns else { break }
            result.append(character)
        }
        return result + "~"
    }

    private static func width(of character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return 0
        default: return isWide(scalar.value) ? 2 : 1
        }
    }

    /// The blocks that hold wide characters (Unicode, EastAsianWidth.txt). wcwidth(3) needs a locale to be set.
    private static func isWide(_ value: UInt32) -> Bool {
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF,
            0x1F900...0x1FAFF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
