/// Versions, for `--version` and for reports.
public enum SegmentedDownloadVersion {
    /// The version of this library and of `segdl`.
    public static let current = "0.1.0"
}
