import SegmentedDownload
import SegmentedDownloadTestSupport
import Testing

@Suite struct ChecksumTests {
    private static let md5 = "d41d8cd98f00b204e9800998ecf8427e"

    @Test(arguments: ["md5:\(md5)", "MD5=\(md5.uppercased())", "md-5:\(md5)", "sha-256=\(sha256)", "sha256:\(sha256)"])
    func `both spellings are read`(_ text: String) throws {
        let checksum = try #require(Checksum(text))
        #expect(checksum.digest.count == checksum.algorithm.byteCount)
        #expect(["md5:\(Self.md5)", "sha256:\(Self.sha256)"].contains(checksum.description))
    }

    @Test(arguments: [
        "", ":", "md5", "md5:", "md5:\(md5)0", "md5:\(md5.dropLast())", "md5:\(md5.dropLast())g", "sha256:\(md5)",
        "crc32:00000000", "\(md5)", "md5:\(md5) ", "md5::\(md5)", "md5:\u{FF11}\(md5.dropFirst())", "sha512:",
        "=\(md5)",
    ])
    func `anything else is none`(_ text: String) {
        #expect(Checksum(text) == nil)
    }

    private static let sha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
}
