/// The options that messages advise, as the user of a request would write them.
package struct OptionAdvice: Sendable {
    /// Gives the file another name.
    let name: String
    /// Gives it another folder.
    let folder: String
    /// Throws away what an earlier run left of this file, and of no other.
    let restart: String
    /// Replaces this file, and no other.
    let overwrite: String

    /// For the only file of a run.
    package static let alone = Self(name: "-o", folder: "-d", restart: "--restart", overwrite: "--overwrite")
    /// For one of several.
    package static let oneOfSeveral = Self(
        name: "out= in a list",
        folder: "dir=",
        restart: "--restart (and this URL alone)",
        overwrite: "--overwrite (and this URL alone)"
    )
}
