import Foundation

/// Reads a whole text file.
func readText(_ path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .utf8)
}

/// Writes a whole text file.
func write(_ text: String, toFileAt path: String) throws {
    try text.write(toFile: path, atomically: true, encoding: .utf8)
}

/// Removes a file, or a folder with all in it, where it is there.
func remove(_ path: String) throws {
    guard FileManager.default.fileExists(atPath: path) else { return }
    try FileManager.default.removeItem(atPath: path)
}

/// Makes a folder and those above it, where they are missing.
func makeFolder(_ path: String) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
}

/// Says on standard error what is being done.
func report(_ line: String) {
    try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
}
