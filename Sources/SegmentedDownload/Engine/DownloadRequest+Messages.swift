// What messages say of a request's options.
extension DownloadRequest {
    /// Whether it is one of a run of several, for which options that name one file are not there.
    var isOneOfSeveral: Bool { takenPaths != nil }

    /// How its user gives the file another name.
    var nameOption: String { isOneOfSeveral ? "out= in a list" : "-o" }
}
