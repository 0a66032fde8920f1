import Foundation

/// Finds programs for tests.
package enum Executables {
    /// The folder with what this package's build made: that of the running test bundle or benchmark.
    package static var productsFolder: String {
        #if os(macOS)
            for bundle in Bundle.allBundles where bundle.bundlePath.hasSuffix(".xctest") {
                return (bundle.bundlePath as NSString).deletingLastPathComponent
            }
        #endif
        let executable = Bundle.main.executablePath ?? CommandLine.arguments[0]
        return (executable as NSString).resolvingSymlinksInPath.deletingLastPathComponent
    }

    /// The path of a product of this package, such as `segdl`.
    ///
    /// - Parameter product: Its name.
    /// - Returns: Its absolute path.
    /// - Throws: A sentence where it was not built.
    package static func product(_ product: String) throws -> String {
        let path = "\(productsFolder)/\(product)"
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw TestSupportError("\(path) is not there: build the package first")
        }
        return path
    }

    /// The path of an installed program, looked up in PATH and in the folders for system programs; nil where missing.
    package static func installed(_ name: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/sbin", "/usr/local/sbin"]
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}

extension String {
    fileprivate var deletingLastPathComponent: String { (self as NSString).deletingLastPathComponent }
}
