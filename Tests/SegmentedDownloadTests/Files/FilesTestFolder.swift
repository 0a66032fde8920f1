import Foundation
import SegmentedDownload
import SegmentedDownloadCore
import Synchronization

/// A folder of its own for one test, removed afterwards.
final class FilesTestFolder: Sendable {
    let path: String
    let folder: Folder
    let names = FileNames(final: "file.iso")

    /// Makes and opens the folder; in `parent`, or in the system's folder for temporary files.
    init(in parent: String? = nil) throws {
        let parent = parent.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
        let url = parent.resolvingSymlinksInPath().appendingPathComponent("segdl-files-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        path = url.path
        folder = try Folder.open(path: path, creating: false)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func path(_ name: String) -> String { "\(path)/\(name)" }

    func openPart() throws -> PartFile {
        try PartFile.openLocked(in: folder, name: names.part)
    }

    func put(_ text: String, at name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
    }

    func text(at name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: path(name))), as: UTF8.self)
    }

    func bytes(at name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path(name))))
    }

    func change(_ name: String, _ change: (inout [UInt8]) -> Void) throws {
        var bytes = try bytes(at: name)
        change(&bytes)
        // In place: the inode stays.
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path(name)))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: Data(bytes))
        try handle.close()
    }

    var allNames: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }

    /// The name in this folder that a descriptor was opened at: `.` for the folder, `nil` for anything outside of it.
    /// Interceptors see the calls of all tests, which run at the same time.
    func name(ofDescriptor fd: Int32) -> String? { Self.name(ofDescriptor: fd, in: path) }

    /// As ``name(ofDescriptor:)``, for any folder.
    static func name(ofDescriptor fd: Int32, in path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 4096)
        #if os(Linux)
            let count = readlink("/proc/self/fd/\(fd)", &buffer, buffer.count - 1)
            guard count > 0 else { return nil }
        #else
            guard fcntl(fd, F_GETPATH, &buffer) != -1 else { return nil }
        #endif
        let target = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        if target == path { return "." }
        return target.hasPrefix(path + "/") ? String(target.dropFirst(path.count + 1)) : nil
    }

    /// Runs a body and fails calls on this folder's files meanwhile.
    func failing<Result>(
        _ calls: [SystemCall.Name: Int32],
        _ body: () throws -> Result
    ) rethrows -> Result {
        try watching({ call, _ in calls[call].map(Errno.init(rawValue:)) }, body)
    }

    /// Runs a body, and an action right before the first call of a kind on this folder's files.
    func before<Result>(
        _ call: SystemCall.Name,
        do action: @escaping @Sendable () -> Void,
        _ body: () throws -> Result
    ) rethrows -> Result {
        let once = Once(action)
        return try watching(
            { name, _ in
                if name == call { once.run() }
                return nil
            },
            body
        )
    }

    /// Runs a body and tells of each call on this folder's files before it is made, with the file's name; an error
    /// that comes back takes the call's place.
    func watching<Result>(
        _ observer: @escaping @Sendable (_ call: SystemCall.Name, _ file: String) -> Errno?,
        _ body: () throws -> Result
    ) rethrows -> Result {
        try SystemCall.withInterceptor(
            { attempt, proceed throws(Errno) in
                if let name = self.name(ofDescriptor: attempt.fd), let error = observer(attempt.name, name) {
                    throw error
                }
                return try proceed()
            },
            body
        )
    }
}

/// Runs an action the first time only.
final class Once: Sendable {
    private let action: @Sendable () -> Void
    private let isDone = Atomic(false)

    init(_ action: @escaping @Sendable () -> Void) {
        self.action = action
    }

    func run() {
        if !isDone.exchange(true, ordering: .sequentiallyConsistent) { action() }
    }
}

/// What happened, in order.
final class EventLog: Sendable {
    private let storage = Mutex<[String]>([])

    func append(_ event: String) {
        storage.withLock { $0.append(event) }
    }

    var events: [String] { storage.withLock(\.self) }
}

/// The message of the `DownloadError` of the kind `localFile` that a body must throw; else what came instead.
func localFileMessage(_ body: () throws -> Void) -> String {
    do {
        try body()
        return "no error"
    } catch let error as DownloadError {
        return error.kind == .localFile ? error.message : "wrong kind: \(error)"
    } catch {
        return "wrong error: \(error)"
    }
}
