#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A file that is read once, from its start to its end: it may be a pipe, such as a shell's `<(…)`.
enum TextFile {
    /// Reads all of it.
    ///
    /// - Parameters:
    ///   - path: Its path.
    ///   - what: What it is, to begin a sentence.
    ///   - byteLimit: The most bytes that make sense; a device never ends.
    /// - Returns: Its text; bytes that are not UTF-8 are replaced.
    /// - Throws: `localFile` where it can't be read, or is longer.
    static func text(at path: String, _ what: String, byteLimit: Int) throws(DownloadError) -> String {
        do throws(Errno) {
            let file = try FileDescriptor.open(path, in: AT_FDCWD, flags: O_RDONLY)
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 64 * 1024)
            while true {
                let count = try SystemCall.call(.read, file.rawValue) {
                    read(file.rawValue, &buffer, buffer.count)
                }
                guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
                bytes += buffer[..<count]
                guard bytes.count <= byteLimit else { throw Errno(rawValue: EFBIG) }
            }
        } catch {
            throw DownloadError(
                .localFile,
                "\(what) '\(path)' can't be read: check the name and its permissions.",
                underlying: error.description
            )
        }
    }
}
