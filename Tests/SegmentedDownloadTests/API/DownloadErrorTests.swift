import SegmentedDownload
import SegmentedDownloadCore
import Testing

@Suite struct DownloadErrorTests {
    @Test("An error carries nothing that a terminal obeys, whoever made its texts")
    func printable() {
        let error = DownloadError(.tls, "a\u{1B}[31m", underlying: "b\u{9B}\r\n", url: "http://\u{202E}h/")
        #expect(error.message == "a?[31m")
        #expect(error.underlying == "b???")
        #expect(error.url == "http://?h/")
        #expect(error.description == "a?[31m (b???)")
    }

    @Test("Printable text stays as it is", arguments: ["", "naïve 漢字.zip", "a b", "👩", "e\u{301}"])
    func unchanged(text: String) {
        #expect(text.printable.unicodeScalars.elementsEqual(text.unicodeScalars))
    }

    @Test("A retry says what happened, as part of a sentence: the remedy is for the end")
    func retryReason() throws {
        let harness = try DownloadHarness()
        let result = try harness.run("http://me:pass@127.0.0.1:1/a;b?token")
        guard case .failure(let error) = result else {
            Issue.record("something listens on port 1")
            return
        }
        #expect(error.message.contains("; check the address"))
        let reasons = harness.seenEvents.compactMap { if case .retry(let retry) = $0 { retry.reason } else { nil } }
        #expect(!reasons.isEmpty)
        #expect(reasons.allSatisfy { $0 == "The connection to 127.0.0.1:1 failed" })
    }
}
