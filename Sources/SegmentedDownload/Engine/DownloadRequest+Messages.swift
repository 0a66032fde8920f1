extension DownloadRequest {
    /// What messages advise its user to do. Of one of several, options that name one file are not there.
    var advice: OptionAdvice { takenPaths == nil ? .alone : .oneOfSeveral }
}
