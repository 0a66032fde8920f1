#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Why a system call failed: errno(3).
package struct Errno: Error, Equatable, Sendable, CustomStringConvertible {
    /// The system's number.
    package var rawValue: Int32

    /// Wraps a number.
    ///
    /// - Parameter rawValue: The system's number, for instance `ENOSPC`.
    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// The system's text and the number, for instance `No space left on device, errno 28`.
    ///
    /// strerror_r(3), since strerror(3) is not safe with several threads.
    package var description: String {
        var text = [CChar](repeating: 0, count: 256)
        guard strerror_r(rawValue, &text, text.count) == 0 else { return "errno \(rawValue)" }
        let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return "\(String(decoding: bytes, as: UTF8.self)), errno \(rawValue)"
    }

    /// Whether the file system, or the kernel, lacks a call altogether. EINVAL is among the answers of file systems to
    /// flags and modes that they do not know.
    var meansUnsupported: Bool {
        [ENOSYS, EOPNOTSUPP, ENOTSUP, EINVAL].contains(rawValue)
    }

    /// What the user can do about it; `nil` where nothing is known.
    var remedy: String? {
        switch rawValue {
        case ENOSPC, EDQUOT: "make room, or choose another folder (-d, or dir= in a list)"
        case EACCES, EPERM, EROFS: "choose a folder that you may write to (-d, or dir= in a list)"
        case ENAMETOOLONG: "choose a shorter name"
        case EMFILE, ENFILE: "raise the limit of open files (ulimit -n)"
        case EFBIG:
            "raise the limit on file sizes (ulimit -f), or choose a folder whose file system holds files of this size "
                + "(-d, or dir= in a list)"
        case ESTALE: "see whether its file system was mounted anew, then run the same command to go on"
        case EIO: "check the disk, then run the same command to go on"
        default: nil
        }
    }

    /// The error that a person gets to see.
    ///
    /// - Parameters:
    ///   - failure: What could not be done, without the path: for instance `Could not open`.
    ///   - path: The path that it could not be done to.
    /// - Returns: An error of the kind `localFile`.
    package func localFileError(_ failure: String, path: String) -> DownloadError {
        let advice = remedy.map { "; \($0)" } ?? ""
        return DownloadError(.localFile, "\(failure) '\(path)'\(advice).", underlying: description)
    }
}
