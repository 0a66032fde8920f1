import Foundation
import SegdlCommand
import Testing

struct HelpTests {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    @Test func `the help fits 80 columns and is ASCII`() {
        for line in HelpText.text.split(separator: "\n") {
            #expect(line.count <= 80, "\(line)")
            #expect(line.utf8.count == line.count)
        }
    }

    @Test(arguments: FlagTable.flags)
    func `help and manual name every flag`(_ flag: Flag) {
        #expect(HelpText.text.contains("--\(flag.long)"))
        #expect(HelpText.text.contains(flag.summary))
        let roffName = flag.long.replacing("-", with: "\\-")
        #expect(SegdlCommand.manualPage().contains("\\-\\-\(roffName)\\fR"))
    }

    /// `SEGDL_UPDATE_DOCS=1 swift test --filter HelpTests` writes the page anew.
    @Test func `the manual page in docs is the one that the table makes`() throws {
        let file = Self.root.appending(path: "docs/segdl.1")
        if ProcessInfo.processInfo.environment["SEGDL_UPDATE_DOCS"] != nil {
            try SegdlCommand.manualPage().write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == SegdlCommand.manualPage())
    }

    @Test func `no line of the manual is taken for a roff request by mistake`() {
        let requests = [".TH ", ".SH ", ".SS ", ".TP", ".PP", ".B ", ".I "]
        for line in SegdlCommand.manualPage().split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
            #expect(requests.contains { line.hasPrefix($0) }, "\(line)")
        }
    }
}
