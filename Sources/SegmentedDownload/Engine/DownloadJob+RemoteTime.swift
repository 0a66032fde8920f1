internal import SegmentedDownloadCore

// The file's time. It is set last, since every write changes it, and before the file has its final name. Whether that
// works decides nothing: the file is complete.
extension DownloadJob {
    /// Gives the file the time of the server's last change.
    ///
    /// - Parameter seconds: Seconds since 1970; `nil` where the server gave no date, or none that is one.
    func setTime(of file: PartFile, to seconds: Int64?) {
        // By 1970 servers mean "unknown"; curl_getdate makes 0 of the second before it.
        guard let seconds, seconds > 0 else {
            return control.note("The server gives no date that can be used: the file keeps the time of its download.")
        }
        do throws(Errno) {
            guard try file.setModificationTime(seconds) else {
                return control.note("The file system can't hold the server's date: the file has the nearest one.")
            }
        } catch {
            return control.note("The file's time could not be set (\(error)): it is that of the download.")
        }
        if seconds > WallClock.seconds + Self.toleratedLead {
            control.note("The server's date lies in the future; the file has it all the same.")
        }
    }

    /// A day: clocks may differ, and time zones be mistaken.
    private static let toleratedLead: Int64 = 24 * 3600
}
