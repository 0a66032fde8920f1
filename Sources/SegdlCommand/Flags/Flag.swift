/// One option of the command line. Parser, help, manual page and tests all come from the table of these.
package struct Flag: Sendable {
    /// The headings of the help, in the order in which it shows them.
    package enum Section: String, CaseIterable, Sendable {
        case connections = "Connections"
        case files = "Files"
        case requests = "Requests"
        case network = "Network"
        case patience = "Patience"
        case output = "Output"
    }

    /// The argument of an option that takes one.
    package struct Argument: Sendable {
        /// What stands for it in the help, for instance `N`.
        package let placeholder: String
        /// A value that is valid, for the manual page and the tests.
        package let example: String
        /// Whether messages leave the value out.
        package var isSecret = false
    }

    /// Why a value was not taken.
    package enum ValueError: Error, Equatable {
        /// What is wrong with it; the parser puts the value and the option before it.
        case reason(String)
        /// A whole sentence, which stands alone.
        case sentence(String)
    }

    /// Writes the value into the options. Flags without an argument get an empty value.
    package typealias Apply = @Sendable (_ value: String, _ options: inout Options) throws(ValueError) -> Void

    /// The name after `--`.
    package let long: String
    /// The letter after `-`; `nil` where there is none.
    package let short: Character?
    /// The argument; `nil` where the flag takes none.
    package let argument: Argument?
    /// The heading that it stands under.
    package let section: Section
    /// A few words for the help.
    package let summary: String
    /// The default as the help shows it; `nil` where there is nothing to show.
    package let defaultText: String?
    /// Sentences for the manual page.
    package let details: String
    /// Writes the value into the options.
    package let apply: Apply

    init(
        _ long: String,
        _ short: Character? = nil,
        _ argument: Argument? = nil,
        in section: Section,
        _ summary: String,
        default defaultText: String? = nil,
        details: String,
        apply: @escaping Apply
    ) {
        self.long = long
        self.short = short
        self.argument = argument
        self.section = section
        self.summary = summary
        self.defaultText = defaultText
        self.details = details
        self.apply = apply
    }

    /// The long name with its argument, as messages show it: `--jobs <N>`.
    package var usage: String {
        argument.map { "--\(long) <\($0.placeholder)>" } ?? "--\(long)"
    }
}
