import SegdlCommand
import SegmentedDownload
import Testing

struct SegdlCommandTests {
    @Test func `help goes to standard output and ends with 0`() throws {
        let world = TestConsole()
        #expect(SegdlCommand.run(arguments: ["--help"], console: world.console) == 0)
        #expect(try world.output.text() == HelpText.text)
        #expect(try world.error.text() == "")
    }

    @Test func `a usage error goes to standard error and ends with 2`() throws {
        let world = TestConsole()
        #expect(SegdlCommand.run(arguments: ["--job", "8"], console: world.console) == 2)
        #expect(try world.output.text() == "")
        #expect(try world.error.text() == "segdl: Unknown option '--job'. Did you mean '--jobs'?\n")
    }

    @Test func `a header file that can't be read ends with 3 before anything is fetched`() throws {
        let world = TestConsole()
        #expect(SegdlCommand.run(arguments: ["-H", "@/no/such", "http://a/"], console: world.console) == 3)
    }

    @Test func `the version names the library beneath`() {
        let text = SegdlCommand.versionText(transport: "libcurl/7.88.1 OpenSSL/3.0.17")
        #expect(text == "segdl \(SegmentedDownloadVersion.current) (libcurl/7.88.1 OpenSSL/3.0.17)\n")
    }
}
