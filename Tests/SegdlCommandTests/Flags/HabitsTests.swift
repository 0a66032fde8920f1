import SegdlCommand
import SegmentedDownload
import Testing

struct HabitsTests {
    @Test(arguments: [
        (["-x", "16"], "-j 16"), (["-x16"], "-j 16"), (["-n", "8"], "-j 8"), (["-n8"], "-j 8"),
        (["-n16"], "-j 16"), (["-qn", "8"], "'8' is not a URL"), (["-n", "-x", "16"], "-j 16"),
        (["--proxy", "16"], "-j 16"), (["--load-cookies", "f"], "--cookie FILE"), (["--http2"], "--http 2"),
        (["-b", ""], "leave '--cookie"),
        (["-s", "16"], "-j 16"),
        (["-s16"], "-j 16"), (["-S", "4"], "-j 4"), (["-s", "https://a/"], "-q"), (["-c"], "always resumes"),
        (["-C", "-"], "always resumes"), (["-L"], "leave '-L' out"), (["-O"], "-o FILE"), (["-P", "dir"], "-d DIR"),
        (["-U", "agent"], "-A TEXT"), (["-N"], "--overwrite"), (["-k", "1M"], "-s 1M"), (["-k1M"], "-s 1M"),
        (["-Z"], "-j N"), (["-fsSL"], "'-f' is not needed"), (["--continue"], "always resumes"),
        (["--continue=true"], "always resumes"), (["--split=5"], "-j N"),
        (["--max-connection-per-server", "16"], "-j N"),
        (["--location"], "always followed"), (["--no-check-certificate"], "--insecure"),
        (["--dir", "x"], "--directory DIR"),
    ])
    func `a habit of another tool gets one line that helps`(_ arguments: [String], _ hint: String) {
        let error = #expect(throws: DownloadError.self) {
            try CommandLineParser.parse(arguments + ["https://example.org/"])
        }
        #expect(error?.kind == .usage)
        #expect(error?.message.contains(hint) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("\n") == false)
    }

    @Test func `no habit hides an option`() {
        for flag in FlagTable.flags { #expect(Habits.long[flag.long] == nil) }
    }

    @Test func `every option that a habit names is there`() {
        for (name, sentence) in Habits.long {
            let words = sentence.split(whereSeparator: { " '():,".contains($0) }).filter { $0.hasPrefix("--") }
            for word in words {
                let option = word.dropFirst(2).prefix { $0 != "=" && $0 != "." }
                #expect(option == name || FlagTable.flag(long: String(option)) != nil, "\(sentence)")
            }
        }
    }
}
