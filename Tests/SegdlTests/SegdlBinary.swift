import SegmentedDownloadTestSupport

/// The built `segdl`, run in a folder of its own.
struct SegdlBinary {
    let folder: TemporaryFolder
    private let path: String

    /// - Parameter parent: Where the folder is made; by default where tests make theirs.
    init(in parent: String? = nil) throws {
        folder = try TemporaryFolder(in: parent)
        path = try Executables.product("segdl")
    }

    private static let patience = ["--retry-wait", "0.02", "--stall-timeout", "5"]

    func start(_ arguments: [String]) throws -> ChildProcess {
        try ChildProcess.start(path, Self.patience + arguments, directory: folder.path)
    }

    /// Starts the program as the last words of another's command line, such as strace's.
    func start(behind words: [String], _ arguments: [String]) throws -> ChildProcess {
        let rest = words.dropFirst() + [path] + Self.patience + arguments
        // The address sanitizer's search for leaks is a tracer itself, and fails under strace.
        let environment = ["ASAN_OPTIONS": "detect_leaks=0"]
        return try ChildProcess.start(words[0], Array(rest), environment: environment, directory: folder.path)
    }

    func run(_ arguments: [String], environment: [String: String] = [:]) throws -> ChildProcess.Result {
        // The tests' own environment may name proxies.
        var all: [String: String?] = [:]
        for name in ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"] {
            all[name] = .some(nil)
        }
        for (name, value) in environment { all[name] = value }
        return try ChildProcess.run(path, Self.patience + arguments, environment: all, directory: folder.path)
    }

    /// What the journal of a name records; `nil` where there is none that can be read.
    func journal(of name: String) -> JournalSnapshot? {
        JournalSnapshot(path: folder.path(name + ".segdl.journal"))
    }
}
