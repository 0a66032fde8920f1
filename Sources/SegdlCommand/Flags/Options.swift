package import SegmentedDownload

/// What a command line asks for: the session's options, the request that each URL starts from, and what is printed.
package struct Options: Sendable {
    /// What `segdl` is to do.
    package enum Action: Sendable, Equatable {
        /// Fetch every URL.
        case download
        /// Print the help.
        case help
        /// Print the versions.
        case version
    }

    /// How much is said on standard error.
    package enum Verbosity: Sendable, Equatable {
        /// Errors only.
        case quiet
        /// Notes, and a line at the end.
        case normal
        /// What was decided and why, too.
        case verbose
    }

    /// How progress is shown.
    package enum ProgressMode: String, Sendable, CaseIterable {
        /// A bar on a terminal in whose foreground `segdl` runs, plain lines elsewhere.
        case auto
        /// One line that is redrawn.
        case bar
        /// A line every few seconds.
        case plain
        /// One JSON object a line, on standard output.
        case json
        /// Nothing.
        case none
    }

    /// Where header lines come from.
    package enum HeaderSource: Sendable, Equatable {
        /// A line on the command line.
        case line(String)
        /// A file with one header a line.
        case file(String)
        /// Standard input with one header a line.
        case standardInput
    }

    /// Where a list of URLs comes from.
    package enum ListSource: Sendable, Equatable {
        /// A file.
        case file(String)
        /// Standard input.
        case standardInput
    }

    /// What `--cookie` names.
    package enum CookieSource: Sendable, Equatable {
        /// Cookies, as they are sent.
        case data(String)
        /// A file of cookies.
        case file(String)
    }

    /// The argument of `--user`.
    package struct User: Sendable, Equatable {
        /// The user name.
        package var name: String
        /// The password; `nil` where it is to be asked for on the terminal.
        package var password: String?
    }

    /// What to do.
    package var action = Action.download
    /// What all downloads share.
    package var session = SessionOptions()
    /// What each download starts from; its URL is empty.
    package var request = DownloadRequest(url: "")
    /// Header lines, in the order given, not read yet.
    package var headers: [HeaderSource] = []
    /// Whom to sign in as.
    package var user: User?
    /// Whether the netrc file is a source of user names and passwords.
    package var readsNetrc = false
    /// The file of the certificate to show.
    package var certificate: String?
    /// The file of its private key.
    package var certificateKey: String?
    /// How progress is shown.
    package var progress = ProgressMode.auto
    /// How much is said.
    package var verbosity = Verbosity.normal
    /// The URLs, in the order given.
    package var urls: [String] = []
    /// The lists of further URLs, in the order given, not opened yet.
    package var lists: [ListSource] = []
    /// Whether the run may be about more than one file.
    package var hasSeveralEntries: Bool { urls.count > 1 || !lists.isEmpty }

    /// The defaults.
    package init() {}
}
