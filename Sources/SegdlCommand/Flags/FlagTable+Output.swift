extension FlagTable {
    /// What is printed.
    static let outputFlags = [
        Flag(
            "progress",
            nil,
            .init(placeholder: "HOW", example: "plain"),
            in: .output,
            "auto, bar, plain, json or none",
            default: "auto",
            details: """
                How progress is shown. 'bar': one line that is redrawn. 'plain': a line every few seconds at most. \
                'json': one JSON object a line, on standard output. 'none': nothing. 'auto': a bar on a terminal in \
                whose foreground segdl runs, plain lines elsewhere.
                """
        ) { (value, options) throws(Flag.ValueError) in
            options.progress = try Value.choice(value, of: Options.ProgressMode.allCases.map { ($0.rawValue, $0) })
        },
        Flag(
            "quiet",
            "q",
            in: .output,
            "print errors only",
            details: "Print errors only. '--progress json' still prints what it was asked for."
        ) { _, options in
            options.verbosity = .quiet
        },
        Flag(
            "verbose",
            "v",
            in: .output,
            "say what was decided and why",
            details: "Say what was decided and why. Secrets are left out. Of '-q' and '-v' the last one given counts."
        ) { _, options in
            options.verbosity = .verbose
        },
        Flag(
            "help",
            "h",
            in: .output,
            "print this help",
            details: "Print a short help."
        ) { _, options in
            options.action = .help
        },
        Flag(
            "version",
            "V",
            in: .output,
            "print the versions of segdl, libcurl and TLS",
            details: "Print the versions of segdl, of libcurl and of its TLS library."
        ) { _, options in
            options.action = .version
        },
    ]
}
