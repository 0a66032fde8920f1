/// Who holds a lock that flock(2) refuses; `F_GETLK` tells only of other locks.
package enum LockHolder {
    /// More lines than any machine has locks on files that matter here.
    private static let byteLimit = 1 << 20

    /// The process that holds an flock(2) lock on a file.
    ///
    /// - Parameter file: The file.
    /// - Returns: Its id; `nil` where the system doesn't tell: on macOS, over a network, from another container, and on
    ///   Btrfs, whose device numbers differ between stat(2) and proc_locks(5).
    static func processID(of file: FileStatus) -> Int32? {
        guard let text = try? TextFile.text(at: "/proc/locks", "The list of locks", byteLimit: byteLimit) else {
            return nil
        }
        return processID(inLocks: text, device: file.device, inode: file.inode)
    }

    /// Reads `/proc/locks`; proc_locks(5).
    ///
    /// - Parameters:
    ///   - text: Lines such as `1: FLOCK  ADVISORY  WRITE 4711 fe:00:1234 0 EOF`. One that waits has `->` after its number.
    ///   - device: The device number as stat(2) has it.
    ///   - inode: The inode number.
    /// - Returns: The holder's process id, positive.
    package static func processID(inLocks text: String, device: UInt64, inode: UInt64) -> Int32? {
        let major = device >> 8 & 0xFFF | device >> 32 & 0xFFFF_F000
        let minor = device & 0xFF | device >> 12 & 0xFFFF_FF00
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count >= 6, fields[1] == "FLOCK", let id = Int32(fields[4]), id > 0 else { continue }
            let place = fields[5].split(separator: ":")
            guard place.count == 3, UInt64(place[0], radix: 16) == major, UInt64(place[1], radix: 16) == minor,
                UInt64(place[2]) == inode
            else { continue }
            return id
        }
        return nil
    }
}
