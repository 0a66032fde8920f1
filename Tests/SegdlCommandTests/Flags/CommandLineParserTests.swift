import SegdlCommand
import SegmentedDownload
import Testing

private func message(_ arguments: [String]) -> String {
    do {
        _ = try CommandLineParser.parse(arguments)
        return "no error"
    } catch {
        #expect(error.kind == .usage)
        return error.message
    }
}

struct CommandLineParserTests {
    @Test func `with --https-only one http URL is enough to fetch nothing`() throws {
        for scheme in ["http", "HTTP"] {
            let error = #expect(throws: DownloadError.self) {
                try CommandLineParser.parse(["https://a/", "\(scheme)://u:secret@b/?secret", "--https-only"])
            }
            #expect(error?.kind == .usage)
            #expect(error?.message.contains("--https-only") == true)
            #expect(error?.message.contains("secret") == false)
        }
        #expect(try CommandLineParser.parse(["--https-only", "HTTPS://a/"]).urls.count == 1)
    }

    @Test func `all values reach the options`() throws {
        let options = try CommandLineParser.parse(
            [
                "-j16", "-s", "1M", "--request-size=4M", "-o", "out", "-d", "dir", "--exists", "rename", "--restart",
                "--no-sync", "-H", "A: b", "-H@file", "-H", "@-", "-A", "agent", "--referer", "page", "-u",
                "me:pass:word",
                "-k", "--cacert", "ca", "--retry", "3", "--retry-wait", "0.25", "--connect-timeout", "2",
                "--stall-timeout", "1.5", "--progress", "json", "-q", "http://example.org/",
            ]
        )
        #expect(options.session.jobs == 16)
        #expect(options.session.userAgent == "agent")
        #expect(!options.session.verifiesCertificates)
        #expect(options.session.certificateAuthorityFile == "ca")
        #expect(options.session.retryRounds == 3)
        #expect(options.session.retryWait == .milliseconds(250))
        #expect(options.session.connectTimeout == .seconds(2))
        #expect(options.session.stallTimeout == .milliseconds(1500))
        #expect(options.request.segmentSize == 1 << 20)
        #expect(options.request.requestSize == 4 << 20)
        #expect(options.request.output == "out")
        #expect(options.request.directory == "dir")
        #expect(options.request.existing == .rename)
        #expect(options.request.restarts)
        #expect(!options.request.syncs)
        #expect(options.request.referer == "page")
        #expect(options.headers == [.line("A: b"), .file("file"), .standardInput])
        #expect(options.user?.name == "me")
        #expect(options.user?.password == "pass:word")
        #expect(options.progress == .json)
        #expect(options.verbosity == .quiet)
        #expect(options.urls == ["http://example.org/"])
    }

    @Test func `nothing given means the library's defaults`() throws {
        let options = try CommandLineParser.parse(["HTTPS://example.org"])
        #expect(options.session.jobs == 8)
        #expect(options.request.segmentSize == 256 * 1024)
        #expect(options.request.requestSize == nil)
        #expect(options.request.existing == .check)
        #expect(options.action == .download)
    }

    @Test func `the last of two that contradict each other counts`() throws {
        let url = "http://a/"
        #expect(try CommandLineParser.parse(["--overwrite", "--exists=skip", url]).request.existing == .skip)
        #expect(try CommandLineParser.parse(["--exists=skip", "--overwrite", url]).request.existing == .overwrite)
        #expect(try CommandLineParser.parse(["-qv", url]).verbosity == .verbose)
        #expect(try CommandLineParser.parse(["-j2", "-j3", url]).session.jobs == 3)
        #expect(
            try CommandLineParser.parse(["--request-size=1M", "--request-size=auto", url]).request.requestSize == nil
        )
    }

    @Test func `a double dash ends the options`() {
        #expect(message(["--", "-j", "8"]) == "'-j' is not a URL: it must begin with 'http://' or 'https://'.")
    }

    @Test func `help and version need no URL`() throws {
        #expect(try CommandLineParser.parse(["-h"]).action == .help)
        #expect(try CommandLineParser.parse(["whatever", "--version"]).action == .version)
    }

    @Test(arguments: [
        (["--job", "8"], "Unknown option '--job'. Did you mean '--jobs'?"),
        (["--job=8"], "Unknown option '--job'. Did you mean '--jobs'?"),
        (["--ovewrite"], "Unknown option '--ovewrite'. Did you mean '--overwrite'?"),
        (["--usr=me:secret"], "Unknown option '--usr'. Did you mean '--user'?"),
        (["--zebra"], "Unknown option '--zebra'. 'segdl --help' lists the options."),
        (["-y"], "Unknown option '-y'. 'segdl --help' lists the options."),
        (["-qy"], "Unknown option '-y'. 'segdl --help' lists the options."),
        (["--\u{1B}[2J"], "Unknown option '--?[2J'. 'segdl --help' lists the options."),
        (["-j", "abc"], "The value 'abc' is invalid for '--jobs <N>': it must be a whole number."),
        (["-j", "0"], "The value '0' is invalid for '--jobs <N>': it must be from 1 to 512."),
        (["-j", "513"], "The value '513' is invalid for '--jobs <N>': it must be from 1 to 512."),
        (["-j", "-1"], "The value '-1' is invalid for '--jobs <N>': it must be a whole number."),
        (
            ["-j", "99999999999999999999"],
            "The value '99999999999999999999' is invalid for '--jobs <N>': it must be from 1 to 512."
        ),
        (["-j", "many"], "The value 'many' is invalid for '--jobs <N>': it must be a whole number."),
        (["-s", "1K"], "The value '1K' is invalid for '--segment-size <SIZE>': it must be from 64K to 1G."),
        (["-s", "2G"], "The value '2G' is invalid for '--segment-size <SIZE>': it must be from 64K to 1G."),
        (["--request-size", "0"], "The value '0' is invalid for '--request-size <SIZE>': it must be from 1."),
        (
            ["--exists", "ask"],
            "The value 'ask' is invalid for '--exists <WHAT>': it must be 'check', 'skip' or 'rename'."
        ),
        (
            ["--connect-timeout", "0"],
            "The value '0' is invalid for '--connect-timeout <SECONDS>': it must be from 0.001 to 86400."
        ),
        (
            ["--retry-wait", "1s"],
            "The value '1s' is invalid for '--retry-wait <SECONDS>': it must be a number of seconds such as 2 or 0.5."
        ),
        (["-o", ""], "The value '' is invalid for '--output <FILE>': it must not be empty."),
        (
            ["-o", "-"],
            "Writing to standard output is not there yet: give the name of a file."
        ),
        (
            ["-o", "x", "http://a/", "http://b/"],
            "The option '--output <FILE>' names one file, and 2 URLs are given: "
                + "leave it out, or fetch each URL with a command of its own."
        ),
        ([], "No URL is given. Try 'segdl -j 8 https://example.org/file', or 'segdl --help'."),
    ])
    func `an error is a sentence with its remedy`(_ arguments: [String], _ expected: String) {
        #expect(message(arguments) == expected)
    }

    @Test(arguments: [
        ["-H", "PRIVATE-TOKEN secret"], ["-H", "X: a\r\nsecret: b"], ["-u", ":secret"], ["-H", "Range: secret"],
        ["--referer", "http://a/?secret\n"], ["secret@example.org/?secret#secret"],
        ["ftp://secret:secret@example.org/?secret"],
    ])
    func `no message holds a secret`(_ arguments: [String]) {
        let text = message(arguments)
        #expect(text != "no error")
        #expect(!text.contains("secret:") && !text.contains("secret@") && !text.hasSuffix("secret"))
        #expect(!text.replacing("PRIVATE-TOKEN", with: "").contains("secret"))
    }

    @Test(arguments: [
        ("example.org/x", "'example.org/x' has no scheme: did you mean 'https://example.org/x'?"),
        ("https:/example.org/x", "'https:/example.org/x' is not a URL: it must begin with 'http://' or 'https://'."),
        ("localhost:80/x", "'localhost:80/x' has no scheme: did you mean 'https://localhost:80/x'?"),
        ("x", "'x' is not a URL: it must begin with 'http://' or 'https://'."),
        ("-", "'-' is not a URL: it must begin with 'http://' or 'https://'."),
        ("", "'' is not a URL: it must begin with 'http://' or 'https://'."),
        ("./x.iso", "'./x.iso' is not a URL: it must begin with 'http://' or 'https://'."),
        ("ftp://a/b", "The scheme of 'ftp://a/b' is not supported: segdl fetches 'http://' and 'https://' URLs."),
        (
            "file:///etc/passwd",
            "The scheme of 'file:///etc/passwd' is not supported: segdl fetches 'http://' and 'https://' URLs."
        ),
        ("http:///x", "The URL 'http:///x' names no host: it is written 'https://HOST/PATH'."),
    ])
    func `an operand that is no URL is refused`(_ operand: String, _ expected: String) {
        #expect(message(["https://good.example/", operand]) == expected)
    }

    @Test func `no argument makes the parser trap`() {
        let pieces = [
            "-", "--", "--=", "-=", "--jobs=", "-j", "=", "\u{0}", "-\u{301}", "--é", "-é8", "-k1", "-s.", "-s1.",
            "-kk",
        ]
        for first in pieces {
            for second in pieces { _ = message([first, second]) }
        }
    }
}
