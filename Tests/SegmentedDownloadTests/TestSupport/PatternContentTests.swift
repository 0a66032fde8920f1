import Foundation
import SegmentedDownloadTestSupport
import Testing

struct PatternContentTests {
    @Test func `Bytes are the same however they are cut`() {
        let content = PatternContent(seed: 3, length: 5_000_000)
        let whole = content.bytes(in: 0..<content.length)
        var pieces: [UInt8] = []
        for start in stride(from: Int64(0), to: content.length, by: 700_001) {
            pieces += content.bytes(in: start..<min(start + 700_001, content.length))
        }
        #expect(whole.count == 5_000_000)
        #expect(whole == pieces)
    }

    @Test func `Segments at other places, and other seeds, have other bytes`() {
        let content = PatternContent(seed: 3, length: 1 << 40)
        let segments = (0..<64).map { index in
            content.bytes(in: Int64(index) << 20..<Int64(index) << 20 + 64)
        }
        #expect(Set(segments).count == 64)
        #expect(PatternContent(seed: 4, length: 64).bytes(in: 0..<64) != segments[0])
    }

    @Test(arguments: [0, 1, 1_048_582, 1_048_583, 1_048_584, 3_000_000])
    func `A file that was written matches`(length: Int64) throws {
        let folder = try TemporaryFolder()
        let content = PatternContent(seed: 1, length: length)
        try content.write(toFileAt: folder.path("file"))
        #expect(try content.difference(fromFileAt: folder.path("file")) == nil)
        #expect(try content.matches(fileAt: folder.path("file")))
    }

    @Test func `One wrong byte is found at its offset`() throws {
        let folder = try TemporaryFolder()
        let content = PatternContent(seed: 1, length: 2_500_000)
        var bytes = content.bytes(in: 0..<content.length)
        bytes[2_000_000] ^= 1
        try Data(bytes).write(to: URL(fileURLWithPath: folder.path("file")))
        let difference = try #require(try content.difference(fromFileAt: folder.path("file")))
        #expect(difference.contains("offset 2000000 "))
        #expect(try content.difference(fromFileAt: folder.path("file"), in: 2_000_001..<2_500_000) == nil)
    }

    @Test(arguments: [999, 1001]) func `Another length is a difference`(length: Int64) throws {
        let folder = try TemporaryFolder()
        try PatternContent(seed: 1, length: length).write(toFileAt: folder.path("file"))
        #expect(try PatternContent(seed: 1, length: 1000).difference(fromFileAt: folder.path("file")) != nil)
    }

    @Test func `The digest of a file is that of its bytes`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("abc", to: "file")
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(try FileDigest.sha256(ofFileAt: path) == expected)
    }
}
