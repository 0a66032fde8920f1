import SegmentedDownload

/// The command line program, as a library: `segdl`'s `main.swift` is one call into it.
public enum SegdlCommand {
    /// Runs the program and returns its exit status.
    public static func run(arguments: [String]) -> Int32 {
        fatalError("skeleton \(arguments)")
    }
}
