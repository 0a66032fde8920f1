internal import SegmentedDownloadCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The name of this boot of the machine. Without a restart in between, what was written but never synced is still
/// there, in the page cache.
package enum BootID {
    /// Stands in a journal where the system doesn't tell its boot's name: equal to none.
    static let unknown = "unknown"

    /// The system's name for this boot; `nil` where it doesn't tell. proc(5), `/proc/sys/kernel/random/boot_id`; on
    /// macOS the sysctl `kern.bootsessionuuid`.
    ///
    /// - Throws: What the system said where it would tell, but not now: too many open files must not make everything
    ///   begin anew.
    package static func current() throws(Errno) -> String? {
        #if canImport(Darwin)
            var byteCount = JournalHeader.maximumBootIDByteCount
            var bytes = [UInt8](repeating: 0, count: byteCount)
            guard sysctlbyname("kern.bootsessionuuid", &bytes, &byteCount, nil, 0) == 0 else { return nil }
            let text = bytes.prefix(while: isPrintable)
        #else
            let text: ArraySlice<UInt8>
            do throws(Errno) {
                let path = "/proc/sys/kernel/random/boot_id"
                let descriptor = try FileDescriptor.open(path, in: AT_FDCWD, flags: O_RDONLY)
                text = try descriptor.bytes(JournalHeader.maximumBootIDByteCount, at: 0).prefix(while: isPrintable)
            } catch  where [ENOENT, ENOTDIR, EACCES, EPERM].contains(error.rawValue) {
                // No /proc here, or not for us.
                return nil
            }
        #endif
        return text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
    }

    private static func isPrintable(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte)
    }
}
