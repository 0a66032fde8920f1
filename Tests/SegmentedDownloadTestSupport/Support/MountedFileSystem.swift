import Foundation

/// A small file system of its own for one test: a tmpfs, or an ext4 in a file behind a loop device.
///
/// It is mounted in the mount namespace of a shell that waits for its input to end, so that whatever becomes of the test
/// process, the shell goes, and the mount with it. Others reach it through `/proc/PID/root`.
package final class MountedFileSystem: Sendable {
    /// What is mounted.
    package enum Kind: Sendable {
        /// Memory, with room for so many bytes.
        case tmpfs(byteCount: Int64)
        /// ext4 on a loop device of so many bytes, some of which ext4 itself takes; needs root.
        case ext4(byteCount: Int64)
    }

    /// The mounted root folder, for other processes than the holder too.
    package let path: String
    private let kind: Kind
    private let storage: TemporaryFolder
    private let holder: ChildProcess

    /// Makes and mounts one.
    ///
    /// - Parameter kind: What is mounted.
    /// - Throws: A sentence where this machine can't do it.
    package init(_ kind: Kind) throws {
        self.kind = kind
        storage = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: storage.path("mnt"), withIntermediateDirectories: false)
        if case .ext4(let byteCount) = kind {
            let image = storage.path("image")
            let make = "truncate -s \(byteCount) \"$0\" && mkfs.ext4 -q -F \"$0\""
            let made = try ChildProcess.run("/bin/sh", ["-c", make, image])
            guard made.end == .exit(0) else { throw TestSupportError("mkfs.ext4 failed: \(made.standardError)") }
        }
        // Without root, root of a user namespace can mount a tmpfs.
        holder = try ChildProcess.start("unshare", [geteuid() == 0 ? "-m" : "-Urm", "sh"])
        path = "/proc/\(holder.id)/root\(storage.path("mnt"))"
        try order("\(mountCommand) && echo mounted once", awaiting: "mounted once")
    }

    /// Takes it away and mounts it again, as after a restart: what reached the device is what is there. Nothing of it
    /// may be open.
    package func remount(number: Int) throws {
        try order(
            "umount '\(storage.path("mnt"))' && \(mountCommand) && echo again \(number)",
            awaiting: "again \(number)"
        )
    }

    /// Why this machine can't mount such a thing; `nil` where it can.
    package static let missingTmpfs = problem(.tmpfs(byteCount: 1 << 20))
    /// Why this machine can't mount ext4 from a file; `nil` where it can.
    package static let missingExt4 = problem(.ext4(byteCount: 8 << 20))

    private static func problem(_ kind: Kind) -> String? {
        do {
            _ = try MountedFileSystem(kind)
            return nil
        } catch {
            return "\(error)"
        }
    }

    private var mountCommand: String {
        let folder = storage.path("mnt")
        return switch kind {
        case .tmpfs(let byteCount): "mount -t tmpfs -o size=\(byteCount) tmpfs '\(folder)'"
        case .ext4: "mount -o loop '\(storage.path("image"))' '\(folder)'"
        }
    }

    private func order(_ command: String, awaiting answer: String) throws {
        try holder.writeInput("(\(command)) || exit 1\n")
        try holder.waitForOutput { $0.contains(answer) }
    }

    /// Uses up the room that is left, by a file.
    ///
    /// - Parameter name: The file's name.
    package func fill(_ name: String) throws {
        let fd = try check("open \(name)") { open("\(path)/\(name)", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600) }
        defer { close(fd) }
        let block = [UInt8](repeating: 1, count: 4096)
        while write(fd, block, block.count) > 0 {}
    }

    /// Removes a file.
    package func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: "\(path)/\(name)")
    }

    /// What is left of a file system whose device is pulled out: no write reaches the disk any more, and nothing that
    /// waited for its turn. EXT4_IOC_SHUTDOWN.
    ///
    /// - Parameter flushing: Whether ext4's own log is written before (1), with the data too (0), or nothing at all (2).
    package func shutDown(flushing: UInt32) throws {
        let fd = try check("open \(path)") { open(path, O_RDONLY | O_CLOEXEC) }
        defer { close(fd) }
        var flag = flushing
        // _IOR('X', 125, __u32)
        try check("ioctl EXT4_IOC_SHUTDOWN") { ioctl(fd, 0x8004_587D, &flag) }
    }
}
