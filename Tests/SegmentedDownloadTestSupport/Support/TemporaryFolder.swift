import Foundation

/// A folder of its own for one test, removed with all its contents when the last reference to it goes.
///
///     let folder = try TemporaryFolder()
///     let path = folder.path("file.bin")
package final class TemporaryFolder: Sendable {
    /// The folder's absolute path.
    package let path: String

    /// Makes a folder.
    ///
    /// - Parameter parent: Where; made if it isn't there. By default the system's temporary folder, or `$TMPDIR`. `/dev/shm`
    ///   is a tmpfs on Linux, where a test wants one.
    /// - Throws: A sentence where it can't be made.
    package init(in parent: String? = nil) throws {
        let parent = parent ?? NSTemporaryDirectory()
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        var template = Array((parent as NSString).appendingPathComponent("segdl-test-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw TestSupportError(call: "mkdtemp in \(parent)") }
        path = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of something in the folder.
    package func path(_ name: String) -> String { "\(path)/\(name)" }

    /// Names of what lies in the folder, sorted.
    package func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }

    /// Writes a small file into the folder, and returns its path.
    @discardableResult
    package func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
        return path(name)
    }
}
