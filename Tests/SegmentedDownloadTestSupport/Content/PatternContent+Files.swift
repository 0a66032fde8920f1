import Foundation

extension PatternContent {
    /// Writes the content to a file, which is made or emptied first.
    ///
    /// - Throws: A sentence that names the path.
    package func write(toFileAt path: String) throws {
        let fd = try check("open \(path)") { open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644) }
        defer { close(fd) }
        var offset: Int64 = 0
        while offset < length {
            offset += try withBytes(in: offset..<length) { piece in
                Int64(try check("write \(path)") { Foundation.write(fd, piece.baseAddress, piece.count) })
            }
        }
    }

    /// Whether a file holds this content, all of it and nothing more.
    ///
    /// - Throws: A sentence where the file can't be read.
    package func matches(fileAt path: String) throws -> Bool {
        try difference(fromFileAt: path) == nil
    }

    /// How a file differs from this content, as a sentence with the offset; nil where it doesn't.
    ///
    /// - Throws: A sentence where the file can't be read.
    package func difference(fromFileAt path: String) throws -> String? {
        var status = stat()
        try check("stat \(path)") { stat(path, &status) }
        if let found = try difference(fromFileAt: path, in: 0..<min(length, Int64(status.st_size))) { return found }
        return status.st_size == length ? nil : "\(path) has \(status.st_size) bytes instead of \(length)"
    }

    /// How a file differs from this content in a range, as a sentence with the offset; nil where it doesn't.
    ///
    /// A part file is compared with this one segment at a time; its length is not looked at.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - range: Bytes to compare, at the same offsets in both.
    /// - Returns: The difference, or nil.
    /// - Throws: A sentence where the file can't be read.
    package func difference(fromFileAt path: String, in range: Range<Int64>) throws -> String? {
        precondition(range.lowerBound >= 0 && range.upperBound <= length)
        let fd = try check("open \(path)") { open(path, O_RDONLY | O_CLOEXEC) }
        defer { close(fd) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: PatternTile.window, alignment: 16)
        defer { buffer.deallocate() }
        var offset = range.lowerBound
        while offset < range.upperBound {
            let wanted = Int(min(Int64(buffer.count), range.upperBound - offset))
            let count = try check("read \(path)") { pread(fd, buffer.baseAddress, wanted, off_t(offset)) }
            if count == 0 { return "\(path) ends at offset \(offset)" }
            let found = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            if let place = firstDifference(found, at: offset) { return "\(path) differs from offset \(place) on" }
            offset += Int64(count)
        }
        return nil
    }

    private func firstDifference(_ found: UnsafeRawBufferPointer, at offset: Int64) -> Int64? {
        withBytes(in: offset..<offset + Int64(found.count)) { expected in
            guard let left = found.baseAddress, let right = expected.baseAddress else { return nil }
            guard memcmp(left, right, expected.count) != 0 else { return nil }
            return zip(found, expected).enumerated().first { $1.0 != $1.1 }.map { offset + Int64($0.offset) }
        }
    }
}
