import SegmentedDownloadCore

// Names that servers choose.
extension FuzzTarget {
    /// Three lines: the path of the URL given, the path of the final one, and the Content-Disposition.
    static let disposition = FuzzTarget(name: "content-disposition") { input in
        let lines = input.lines(3).map { String(fieldBytes: $0) }
        let parsed = ContentDisposition(lines[2])
        require(parsed.plainFileName?.isEmpty != true && parsed.extendedFileName?.isEmpty != true, "an empty name")
        let name = FileName.choose(
            contentDisposition: lines[2],
            requestedURLPath: lines[0],
            finalURLPath: lines[1]
        )
        requireSafe(name)
    }

    /// The raw name.
    static let fileName = FuzzTarget(name: "file-name") { input in
        guard let name = FileName.safe(String(fieldBytes: input)) else { return }
        requireSafe(name)
        // A rerun must find the part file of the first run by the same name.
        require(FileName.safe(name) == name, "a safe name that is made another one: \(name)")
    }

    private static func requireSafe(_ name: String) {
        let bytes = Array(name.utf8)
        require((1...FileName.maximumByteCount).contains(bytes.count), "a name of \(bytes.count) bytes")
        require(!bytes.contains(UInt8(ascii: "/")) && !bytes.contains(UInt8(ascii: "\\")), "a path: \(name)")
        require(bytes[0] != UInt8(ascii: ".") && bytes[0] != UInt8(ascii: "-"), "hidden, or an option: \(name)")
        require(!name.unicodeScalars.contains { $0.properties.generalCategory == .control }, "a control character")
        require(!name.unicodeScalars.contains { $0.properties.isBidiControl }, "a mark that turns the direction")
        require(!FileName.isReserved(name), "one of segdl's own names: \(name)")
    }
}
