import SegmentedDownload

/// The manual page, made from the flag table: man(7) macros.
package enum ManualPage {
    /// The whole page.
    package static let text: String = {
        var lines = [
            ".TH SEGDL 1 \"\" \"segdl \(SegmentedDownloadVersion.current)\" \"User Commands\"",
            ".SH NAME", "segdl \\- fetch a file over several connections, and resume it",
            ".SH SYNOPSIS", ".B segdl", "[\\fIOPTIONS\\fR] [\\fIURL\\fR...]",
            ".SH DESCRIPTION",
        ]
        lines += paragraphs(description)
        lines += [".SH OPTIONS"]
        for section in Flag.Section.allCases {
            lines.append(".SS \(section.rawValue)")
            lines += FlagTable.flags.filter { $0.section == section }.flatMap(ManualPage.lines(for:))
        }
        lines.append(".SH \"EXIT STATUS\"")
        lines += statuses.flatMap { [".TP", ".B \($0.status)", escaped($0.meaning)] }
        lines.append(".SH FILES")
        lines += files.flatMap { [".TP", ".I \($0.name)", escaped($0.meaning)] }
        lines.append(".SH ENVIRONMENT")
        lines += environment.flatMap { [".TP", ".B \($0.name)", escaped($0.meaning)] }
        return lines.map { $0 + "\n" }.joined()
    }()

    private static func lines(for flag: Flag) -> [String] {
        let argument = flag.argument.map { " \\fI\(escaped($0.placeholder))\\fR" } ?? ""
        let short = flag.short.map { "\\fB\\-\($0)\\fR, " } ?? ""
        var details = flag.details
        if let defaultText = flag.defaultText { details += " The default is \(defaultText)." }
        return [".TP", "\(short)\\fB\\-\\-\(escaped(flag.long))\\fR\(argument)", escaped(details)]
    }

    private static func paragraphs(_ texts: [String]) -> [String] {
        texts.flatMap { [".PP", escaped($0)] }
    }

    /// Text that roff takes literally: a hyphen that can be copied, and no line that begins with a control character.
    static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case ".", "'": result += result.isEmpty ? "\\&\(character)" : String(character)
            default: result.append(character)
            }
        }
        return result
    }

    private static let description = [
        """
        Fetches each URL into a file of its own, over several connections at once. The file appears under its name \
        only when it is complete. Stopped or killed at any moment and run again, the same command fetches only what \
        is missing.
        """,
        """
        Options may stand anywhere; '--' ends them. Every URL begins with http:// or https://. Several URLs, and \
        the lists of '--input-file', share the connections: the next file is begun when those before it can't use a free \
        one. All are tried, and the exit status is that of the first in their order that failed.
        """,
    ]

    private static let statuses = [
        (status: "0", meaning: "Every file is complete and in place."),
        (status: "1", meaning: "Any other failure."),
        (status: "2", meaning: "Usage: an unknown option, a bad value, no URL, a scheme that is not supported."),
        (
            status: "3",
            meaning:
                "A local file: permission, no room, a name that is taken or that something else has, a lock that is held."
        ),
        (
            status: "4",
            meaning: "The network: resolving, connecting, a reset, a stall, '--max-time', a body that was cut short."
        ),
        (status: "5", meaning: "TLS: a certificate that is not trusted, or one for another name."),
        (status: "6", meaning: "Authentication: the server or a proxy wants other credentials (401, 407)."),
        (
            status: "7",
            meaning: "Protocol: answers that contradict each other, a resource that changed, too many redirects."
        ),
        (status: "8", meaning: "The server said no: any other 4xx or 5xx."),
        (
            status: "9",
            meaning:
                "The checksum is another. The part file and the journal stay: a corrected one costs no traffic."
        ),
        (
            status: "129, 130, 143",
            meaning:
                "Ended by SIGHUP, SIGINT or SIGTERM, with the journal made safe, where the disk takes that within 2 s. A SIGINT after it ends at once."
        ),
    ]

    private static let files = [
        (name: "FILE.segdl.part", meaning: "The file while it is being fetched."),
        (name: "FILE.segdl.journal", meaning: "Which of its segments are finished. Both are gone at the end."),
        (
            name: "FILE.segdl.jnew",
            meaning: "A new journal while it is written. The next run removes one that a kill left."
        ),
    ]

    private static let environment = [
        (name: "CURL_CA_BUNDLE, SSL_CERT_FILE", meaning: "Certificates to trust, where '--cacert' is not given."),
        (
            name: "http_proxy, https_proxy, HTTPS_PROXY, all_proxy, ALL_PROXY",
            meaning: "The proxy, where '--proxy' is not given."
        ),
        (name: "no_proxy, NO_PROXY", meaning: "Hosts without a proxy, where '--noproxy' is not given."),
        (name: "NETRC, HOME", meaning: "The file that '--netrc' reads: NETRC, else .netrc in HOME."),
        (name: "COLUMNS", meaning: "The width of the progress bar."),
        (name: "NO_COLOR", meaning: "No colours, where it is set and not empty."),
        (name: "TERM", meaning: "With 'dumb' or nothing, progress comes in plain lines."),
        (name: "LC_ALL, LC_CTYPE, LANG", meaning: "Other characters than ASCII are printed where these name UTF-8."),
    ]
}
