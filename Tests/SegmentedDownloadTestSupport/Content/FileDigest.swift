/// SHA-256 of files, by the system's own program: an opinion that is independent of ours.
package enum FileDigest {
    /// Enough for 20 GiB on a slow disk.
    private static let timeout = Duration.seconds(600)

    /// The SHA-256 of a file in lower-case hexadecimal, from `sha256sum` (`shasum` on macOS).
    ///
    /// - Parameter path: The file.
    /// - Returns: 64 digits.
    /// - Throws: A sentence where the program fails.
    package static func sha256(ofFileAt path: String) throws -> String {
        #if os(Linux)
            let result = try ChildProcess.run("sha256sum", ["--", path], timeout: timeout)
        #else
            let result = try ChildProcess.run("shasum", ["-a", "256", "--", path], timeout: timeout)
        #endif
        // A name with odd characters puts a backslash before the digits.
        let digits = result.standardOutput.drop { $0 == "\\" }.prefix(64)
        guard result.end == .exit(0), digits.count == 64 else {
            throw TestSupportError("sha256sum \(path): \(result.standardError)")
        }
        return String(digits)
    }
}
