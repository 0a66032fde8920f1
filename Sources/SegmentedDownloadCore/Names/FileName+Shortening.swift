extension FileName {
    /// The longest extension that survives shortening, in bytes, its dot included.
    private static let maximumExtensionByteCount = 16

    /// Cuts a name to so many bytes at a character's edge, before its extension.
    static func shortened(_ name: String, to maximumByteCount: Int) -> String {
        guard name.utf8.count > maximumByteCount else { return name }
        let ending = fileExtension(of: name)
        let stem = prefix(name.dropLast(ending.count), byteCount: maximumByteCount - ending.utf8.count)
        return stem + ending
    }

    /// The extension with its dot, `.tar.gz` and the like whole; empty where there is none, or what follows the last
    /// dot is too long to be one.
    private static func fileExtension(of name: String) -> Substring {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
        let tar = ".tar"
        let start = name[..<dot].hasSuffix(tar) ? name.index(dot, offsetBy: -tar.count) : dot
        return name[start...].utf8.count <= maximumExtensionByteCount ? name[start...] : ""
    }

    /// As many whole characters as fit; whole scalars where even the first character does not, since a character may
    /// have any number of combining marks.
    private static func prefix(_ text: Substring, byteCount: Int) -> String {
        var kept = ""
        for character in text {
            guard kept.utf8.count + character.utf8.count <= byteCount else { break }
            kept.append(character)
        }
        guard kept.isEmpty else { return kept }
        for scalar in text.unicodeScalars {
            guard kept.utf8.count + UTF8.width(scalar) <= byteCount else { break }
            kept.unicodeScalars.append(scalar)
        }
        return kept
    }
}
