/// The help, made from the flag table.
package enum HelpText {
    private static let column = 28

    /// The whole help, with a line feed at its end; no line is wider than 80 columns.
    package static let text: String = {
        var lines = [
            "Usage: segdl [OPTIONS] [URL...]",
            "",
            "Fetches each URL into a file, over several connections. Run again after a stop,",
            "it fetches only what is missing.",
        ]
        for section in Flag.Section.allCases {
            lines += ["", "\(section.rawValue):"]
            lines += FlagTable.flags.filter { $0.section == section }.flatMap(HelpText.lines(for:))
        }
        lines += [
            "",
            "SIZE is in bytes, or with K, M, G or T: 256K, 1.5M, 1GiB.",
            "Exit status: 0 done, 2 usage, 3 local file, 4 network, 5 TLS, 6 sign-in,",
            "7 protocol, 8 server, 9 checksum. The manual says more: man segdl",
        ]
        return lines.map { $0 + "\n" }.joined()
    }()

    private static func lines(for flag: Flag) -> [String] {
        let short = flag.short.map { "-\($0), " } ?? "    "
        let argument = flag.argument.map { " \($0.placeholder)" } ?? ""
        let names = "  \(short)--\(flag.long)\(argument)"
        let described = flag.summary + (flag.defaultText.map { " [\($0)]" } ?? "")
        // Two spaces at least keep names and meaning apart.
        guard names.count + 2 <= column else {
            return [names, String(repeating: " ", count: column) + described]
        }
        return [names + String(repeating: " ", count: column - names.count) + described]
    }
}
