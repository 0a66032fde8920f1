/// Every option that works. An option enters it in the change that makes it work.
package enum FlagTable {
    /// All flags, section by section.
    package static let flags: [Flag] =
        connectionFlags + fileFlags + requestFlags + trustFlags + networkFlags + patienceFlags + outputFlags

    /// The flag with a long name.
    ///
    /// - Parameter long: The name without its `--`.
    /// - Returns: The flag; `nil` where there is none.
    package static func flag(long: String) -> Flag? {
        flags.first { $0.long == long }
    }

    /// The flag with a letter.
    ///
    /// - Parameter short: The letter without its `-`.
    /// - Returns: The flag; `nil` where there is none.
    package static func flag(short: Character) -> Flag? {
        flags.first { $0.short == short }
    }
}
