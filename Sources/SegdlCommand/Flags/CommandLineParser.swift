package import SegmentedDownload

/// Reads a command line: options anywhere, `--` ends them, `--name=value`, `--name value`, `-n value`, `-nvalue`,
/// clusters such as `-qv`.
package struct CommandLineParser {
    private struct Operand {
        var text: String
        /// The argument before it; other tools' options that take a value are told by it.
        var previous: String?
    }

    private let arguments: [String]
    private var position = 0
    private var options = Options()
    private var operands: [Operand] = []

    private init(_ arguments: [String]) {
        self.arguments = arguments
    }

    /// Reads a command line.
    ///
    /// - Parameter arguments: The arguments without the program's name.
    /// - Returns: What it asks for.
    /// - Throws: `usage`, with a sentence that names the remedy and no secret.
    package static func parse(_ arguments: [String]) throws(DownloadError) -> Options {
        var parser = CommandLineParser(arguments)
        try parser.readAll()
        return parser.options
    }

    private mutating func readAll() throws(DownloadError) {
        while let argument = next() {
            if argument == "--" {
                while let operand = next() { operands.append(Operand(text: operand, previous: nil)) }
            } else if argument.hasPrefix("--") {
                try readLong(argument.dropFirst(2))
            } else if argument.hasPrefix("-"), argument != "-" {
                try readCluster(argument.dropFirst())
            } else {
                operands.append(Operand(text: argument, previous: position > 1 ? arguments[position - 2] : nil))
            }
        }
        if options.action == .download { try checkOperands() }
    }

    private mutating func next() -> String? {
        guard position < arguments.count else { return nil }
        position += 1
        return arguments[position - 1]
    }

    private mutating func readLong(_ text: Substring) throws(DownloadError) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts.first ?? "")
        let inline = parts.count == 2 ? String(parts[1]) : nil
        guard let flag = FlagTable.flag(long: name) else { throw unknown(long: name) }
        guard flag.argument != nil else {
            guard inline == nil else { throw .usage("The option '--\(name)' takes no value.") }
            return try apply(flag, "")
        }
        let value = if let inline { inline } else { try needed(for: flag) }
        try apply(flag, value)
    }

    private mutating func readCluster(_ letters: Substring) throws(DownloadError) {
        var rest = letters
        var before: Character?
        while let letter = rest.popFirst() {
            guard let flag = FlagTable.flag(short: letter) else {
                throw unknown(short: letter, after: before, value: rest.isEmpty ? next() : String(rest))
            }
            guard flag.argument != nil else {
                try apply(flag, "")
                before = letter
                continue
            }
            return try apply(flag, rest.isEmpty ? needed(for: flag) : String(rest))
        }
    }

    private mutating func needed(for flag: Flag) throws(DownloadError) -> String {
        guard let value = next() else { throw .usage("The option '\(flag.usage)' needs a value.") }
        return value
    }

    private mutating func apply(_ flag: Flag, _ value: String) throws(DownloadError) {
        do {
            try flag.apply(value, &options)
        } catch {
            switch error {
            case .sentence(let sentence): throw .usage(sentence)
            case .reason(let reason): throw .usage(Self.invalid(value, flag, reason))
            }
        }
    }

    private static func invalid(_ value: String, _ flag: Flag, _ reason: String) -> String {
        let quoted = flag.argument?.isSecret == true ? "" : " '\(Terminal.sanitised(value))'"
        return "The value\(quoted) is invalid for '\(flag.usage)': \(reason)."
    }

    private mutating func checkOperands() throws(DownloadError) {
        guard !operands.isEmpty || !options.lists.isEmpty else {
            throw .usage("No URL is given. Try 'segdl -j 8 https://example.org/file', or 'segdl --help'.")
        }
        for operand in operands {
            if let sentence = Operands.problem(operand.text, after: operand.previous) { throw .usage(sentence) }
            if options.request.requiresHTTPS, let sentence = Operands.unencrypted(operand.text) {
                throw .usage(sentence)
            }
            options.urls.append(operand.text)
        }
        try checkInputs()
        if options.hasSeveralEntries { try checkSingles() }
    }

    /// Standard input can be read once.
    private func checkInputs() throws(DownloadError) {
        let listCount = options.lists.count { $0 == .standardInput }
        guard listCount > 0, listCount > 1 || options.headers.contains(.standardInput) else { return }
        throw .usage(
            "Standard input can be only one of '--input-file -' and '--header @-', and only once: "
                + "give the name of a file instead of the other."
        )
    }

    /// Options that are about one file.
    private func checkSingles() throws(DownloadError) {
        let isListed = !options.lists.isEmpty
        let given = isListed ? "'--input-file' gives a list" : "\(operands.count) URLs are given"
        let singles = [
            ("--output <FILE>", "names", "out=", options.request.output != nil),
            ("--checksum <ALGORITHM:HEX>", "is for", "checksum=", options.request.checksum != nil),
        ]
        for (option, verb, key, isGiven) in singles where isGiven {
            let remedy =
                isListed ? "write '\(key)' below a URL of the list" : "fetch each URL with a command of its own"
            throw .usage("The option '\(option)' \(verb) one file, and \(given): leave it out, or \(remedy).")
        }
    }

    private func unknown(long name: String) -> DownloadError {
        if let habit = Habits.long[name] { return .usage(habit) }
        let shown = Terminal.sanitised(name)
        guard let near = Suggestion.nearest(to: name, among: FlagTable.flags.map(\.long)) else {
            return .usage("Unknown option '--\(shown)'. 'segdl --help' lists the options.")
        }
        return .usage("Unknown option '--\(shown)'. Did you mean '--\(near)'?")
    }

    private func unknown(short letter: Character, after before: Character?, value: String?) -> DownloadError {
        if before == "k", let value = value, letter.isNumber, let habit = Habits.minimumSplit("\(letter)\(value)") {
            return .usage(habit)
        }
        // The value is the next argument only where no digit follows in the cluster.
        if before == "n", letter.isNumber {
            let digits = "\(letter)\(value.map { Value.isDigits($0) ? $0 : "" } ?? "")"
            if let habit = Habits.connections("n", digits) { return .usage(habit) }
        }
        if before == "k", letter.isNumber, let habit = Habits.minimumSplit("\(letter)") { return .usage(habit) }
        if let habit = Habits.short(letter, value: value) { return .usage(habit) }
        return .usage("Unknown option '-\(Terminal.sanitised(String(letter)))'. 'segdl --help' lists the options.")
    }
}

extension DownloadError {
    static func usage(_ sentence: String) -> DownloadError {
        DownloadError(.usage, sentence)
    }
}
