import SegmentedDownloadCore
import Testing

struct EntityTagTests {
    @Test(arguments: [
        ("\"x\"", "\"x\"", true), ("W/\"x\"", "\"x\"", false), ("w/\"x\"", "\"x\"", false),
        (" \t\"5f-1a\" ", "\"5f-1a\"", true), ("\"a b\"", "\"a b\"", true), ("\"a\\b\"", "\"a\\b\"", true),
        ("\"W/x\"", "\"W/x\"", true), ("\"é\"", "\"é\"", false),
    ])
    func `a tag keeps its quotes and knows its strength`(_ field: String, _ text: String, _ isStrong: Bool) throws {
        let tag = try #require(EntityTag(field))
        #expect(tag.text == text)
        #expect(tag.isStrong == isStrong)
    }

    @Test(arguments: [
        "", "x", "\"", "\"\"", "\"x", "x\"", "W/", "W/x", "W/\"\"", "W\"x\"", "W/ \"x\"", "'x'", "\"a\"b\"",
        "\"a\", \"b\"", "\"a\u{0}\"", "\"a\nb\"", "\"a\u{7F}\"", "\"a\u{85}\"",
    ])
    func `a malformed or empty tag is no tag`(_ field: String) {
        #expect(EntityTag(field) == nil)
    }

    @Test func `a tag of 1024 bytes is taken and one of 1025 is not`() {
        #expect(EntityTag("\"" + String(repeating: "x", count: 1022) + "\"") != nil)
        #expect(EntityTag("\"" + String(repeating: "x", count: 1023) + "\"") == nil)
    }

    @Test func `no text makes the parser trap, and what is strong can be sent back`() {
        var texts = UntrustedText(seed: 2)
        for _ in 0..<20_000 {
            guard let tag = EntityTag(texts.next(pieces: ["\"", "W/", "abc", "\"x\"", "é"])), tag.isStrong else {
                continue
            }
            #expect(tag.text.utf8.allSatisfy { (0x20..<0x7F).contains($0) })
        }
    }
}
