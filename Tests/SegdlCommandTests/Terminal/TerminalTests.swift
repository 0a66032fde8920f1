import Foundation
import SegdlCommand
import Testing

struct TerminalTests {
    /// A terminal that is none: standard error of a test may be anything, the null device is not.
    private static func terminal(_ environment: [String: String]) -> Terminal {
        Terminal(fd: open("/dev/null", O_WRONLY), environment: { environment[$0] })
    }

    @Test(
        arguments: [
            ([:], 80), (["COLUMNS": "132"], 132), (["COLUMNS": ""], 80), (["COLUMNS": "x"], 80), (["COLUMNS": "-5"], 1),
            (["COLUMNS": "0"], 1), (["COLUMNS": "999999999"], 1000),
        ] as [([String: String], Int)]
    )
    func `the width is that of COLUMNS, within bounds`(_ environment: [String: String], _ expected: Int) {
        #expect(Self.terminal(environment).width == expected)
    }

    @Test(
        arguments: [
            ([:], false), (["LANG": "de_DE.UTF-8"], true), (["LANG": "C.utf8"], true),
            (["LANG": "de_DE.ISO-8859-1"], false),
            (["LANG": "C.UTF-8", "LC_ALL": "C"], false), (["LC_CTYPE": "C.UTF-8", "LANG": "C"], true),
            (["LC_ALL": "", "LANG": "C.UTF-8"], true),
        ] as [([String: String], Bool)]
    )
    func `the locale says whether more than ASCII is printed`(_ environment: [String: String], _ expected: Bool) {
        #expect(Self.terminal(environment).isUnicode == expected)
    }

    @Test func `what is no terminal gets neither control codes nor colours`() {
        let terminal = Self.terminal(["TERM": "xterm-256color"])
        #expect(!terminal.isCapable && !terminal.isColored && !terminal.isForeground)
        #expect(!terminal.isDrawable)
    }
}
