import SegdlCommand
import SegmentedDownload
import Testing

/// What the options hold, as text: they are made of plain values, so that two differ where their texts do.
private func picture(_ options: Options) -> String {
    var options = options
    options.urls = []
    return String(reflecting: options)
}

private let url = "https://example.org/file"

struct FlagTableTests {
    @Test func `every flag has a name of its own`() {
        let longs = FlagTable.flags.map(\.long)
        let shorts = FlagTable.flags.compactMap(\.short)
        #expect(Set(longs).count == longs.count)
        #expect(Set(shorts).count == shorts.count)
    }

    @Test func `the table holds the options that work and no others`() {
        let expected = [
            "jobs", "segment-size", "request-size", "input-file", "output", "directory", "exists", "overwrite",
            "restart", "checksum",
            "remote-time", "no-sync", "header", "user-agent", "referer", "user", "netrc", "cookie", "insecure",
            "cacert", "cert", "key", "https-only", "proxy", "noproxy", "limit-rate", "ipv4", "ipv6", "interface",
            "resolve", "http",
            "retry", "retry-wait", "connect-timeout", "stall-timeout", "max-time", "progress", "quiet", "verbose",
            "help", "version",
        ]
        #expect(FlagTable.flags.map(\.long) == expected)
    }

    @Test(arguments: FlagTable.flags)
    func `every flag has help, and its long name changes the options`(_ flag: Flag) throws {
        #expect(!flag.summary.isEmpty)
        #expect(flag.details.hasSuffix("."))
        let none = try CommandLineParser.parse([url])
        let arguments = flag.argument.map { ["--\(flag.long)", $0.example] } ?? ["--\(flag.long)"]
        let set = try CommandLineParser.parse(arguments + [url])
        #expect(picture(none) != picture(set))
        #expect(set.action != .download || set.urls == [url])
    }

    @Test(arguments: FlagTable.flags.filter { $0.argument != nil })
    func `all forms of an option with a value mean the same`(_ flag: Flag) throws {
        let value = try #require(flag.argument?.example)
        var forms = [
            ["--\(flag.long)=\(value)", url], ["--\(flag.long)", value, url], [url, "--\(flag.long)=\(value)"],
            ["--\(flag.long)", value, "--", url],
        ]
        if let short = flag.short {
            forms += [["-\(short)", value, url], ["-\(short)\(value)", url], [url, "-\(short)\(value)"]]
        }
        let pictures = Set(try forms.map { picture(try CommandLineParser.parse($0)) })
        #expect(pictures.count == 1)
    }

    @Test(arguments: FlagTable.flags.filter { $0.argument != nil && $0.short != nil })
    func `an option with a value ends a cluster`(_ flag: Flag) throws {
        let (short, value) = (try #require(flag.short), try #require(flag.argument?.example))
        let apart = try CommandLineParser.parse(["-k", "-v", "-\(short)", value, url])
        #expect(picture(try CommandLineParser.parse(["-kv\(short)\(value)", url])) == picture(apart))
        #expect(picture(try CommandLineParser.parse(["-kv\(short)", value, url])) == picture(apart))
    }

    @Test(arguments: FlagTable.flags.filter { $0.argument == nil })
    func `an option without a value takes none`(_ flag: Flag) {
        #expect(throws: DownloadError(.usage, "The option '--\(flag.long)' takes no value.")) {
            try CommandLineParser.parse(["--\(flag.long)=yes", url])
        }
    }

    @Test(arguments: FlagTable.flags.filter { $0.argument != nil })
    func `an option without its value says so`(_ flag: Flag) {
        #expect(throws: DownloadError(.usage, "The option '\(flag.usage)' needs a value.")) {
            try CommandLineParser.parse([url, "--\(flag.long)"])
        }
    }
}
