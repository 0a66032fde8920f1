import Foundation
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

/// What holds after a kill at any point, and that a rerun ends well from there.
struct KillInvariants {
    let segdl: SegdlBinary
    let content: PatternContent
    /// What stood at NAME before, to be replaced by `--overwrite`.
    var old: PatternContent?

    /// Puts the file there that stands at NAME before.
    func prepare() throws {
        try old?.write(toFileAt: segdl.folder.path("file"))
    }

    /// Expects NAME to hold all of the new file, or what it held before; and that the journal tells the truth.
    ///
    /// - Returns: Whether NAME is the new file.
    @discardableResult
    func expectWhole(_ comment: Comment) throws -> Bool {
        try expectHeld(comment)
        guard try segdl.folder.names().contains("file") else {
            #expect(old == nil, "the old file is gone, and no new one is there: \(comment)")
            return false
        }
        let isNew = try content.matches(fileAt: segdl.folder.path("file"))
        guard !isNew else { return true }
        #expect(try old?.matches(fileAt: segdl.folder.path("file")) == true, "NAME is not whole: \(comment)")
        return false
    }

    /// Expects that a rerun ends with the whole file alone.
    func expectCompletion(_ url: String, _ comment: Comment) throws {
        let result = try segdl.run((old == nil ? [] : ["--overwrite"]) + [url])
        #expect(result.end == .exit(0), "\(comment): \(result.standardError)")
        #expect(try content.difference(fromFileAt: segdl.folder.path("file")) == nil, comment)
        #expect(try segdl.folder.names() == ["file"], comment)
    }

    private func expectHeld(_ comment: Comment) throws {
        guard let journal = segdl.journal(of: "file"), try segdl.folder.names().contains("file.segdl.part") else {
            return
        }
        for range in Complement(of: journal).finished {
            let wrong = try content.difference(fromFileAt: segdl.folder.path("file.segdl.part"), in: range)
            #expect(wrong == nil, "\(wrong ?? ""): \(comment)")
        }
    }
}
