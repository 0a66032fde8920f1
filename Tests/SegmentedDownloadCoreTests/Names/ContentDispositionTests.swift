import SegmentedDownloadCore
import Testing

struct ContentDispositionTests {
    @Test(arguments: [
        ("attachment; filename=\"a.zip\"", "a.zip"),
        ("attachment; filename=a.zip", "a.zip"),
        ("ATTACHMENT;FILENAME = a.zip ; size=3", "a.zip"),
        ("inline; size=3; filename=\"a.zip\"", "a.zip"),
        ("filename=a.zip", "a.zip"),
        ("filename=\"a.zip\"", "a.zip"),
        ("attachment filename=a.zip", "a.zip"),
        ("attachment;; ;filename=a.zip;", "a.zip"),
        ("attachment; filename=my file.zip", "my file.zip"),
        ("attachment; filename='my file.zip'", "my file.zip"),
        ("attachment; filename='a;b.zip'; x=y", "a;b.zip"),
        ("attachment; filename='it's.zip'", "it's.zip"),
        ("attachment; filename='a.zip", "'a.zip"),
        ("attachment; filename=\"a;b.zip\"", "a;b.zip"),
        ("attachment; filename=\"a\\\"b\\\\c.zip\"", "a\"b\\c.zip"),
        ("attachment; filename=\"C:\\dir\\a.zip\"", "C:\\dir\\a.zip"),
        ("attachment; filename=\"a.zip", "a.zip"),
        ("attachment; filename=\"a.zip\\", "a.zip\\"),
        ("attachment; filename=\"a.zip\"junk; x=y", "a.zip"),
        ("attachment; filename=\"a%20b.zip\"", "a b.zip"),
        ("attachment; filename=\"100%.zip\"", "100%.zip"),
        ("attachment; filename=\"%FF.zip\"", "%FF.zip"),
        ("attachment; filename=\"naïve.zip\"", "naïve.zip"),
        ("attachment; filename=a=b.zip", "a=b.zip"),
        ("attachment; filename=a.zip; filename=b.zip", "a.zip"),
        ("attachment; x=\"filename=b.zip\"; filename=a.zip", "a.zip"),
        ("attachment; xfilename=b.zip", nil),
        ("attachment; filename=", nil),
        ("attachment; filename=\"\"", nil),
        ("attachment; filename", nil),
        ("attachment", nil),
        ("", nil),
    ])
    func `the plain name is found in tidy and in sloppy fields`(_ field: String, _ expected: String?) {
        #expect(ContentDisposition(field).plainFileName == expected)
    }

    @Test(arguments: [
        ("attachment; filename*=UTF-8''na%C3%AFve.zip", "naïve.zip"),
        ("attachment; filename*=utf-8'en'a%20b.zip", "a b.zip"),
        ("attachment; filename*=ISO-8859-1''na%EFve.zip", "naïve.zip"),
        ("attachment; filename*=iso-8859-1''%C3%AF", "Ã¯"),
        ("attachment; filename*=\"UTF-8''a.zip\"", "a.zip"),
        ("attachment; filename* = UTF-8''a.zip", "a.zip"),
        ("attachment; filename*=UTF-8''it's.zip", "it's.zip"),
        ("attachment; filename*=UTF-8''%e2%82%ac", "€"),
        ("attachment; filename*=UTF-8''%FF.zip", nil),
        ("attachment; filename*=UTF-8''a%2.zip", nil),
        ("attachment; filename*=UTF-8''a%zz.zip", nil),
        ("attachment; filename*=UTF-8''", nil),
        ("attachment; filename*=UTF-16''a.zip", nil),
        ("attachment; filename*=''a.zip", nil),
        ("attachment; filename*=a.zip", nil),
        ("attachment; filename*=", nil),
        ("attachment; filename*=UTF-16''a; filename*=UTF-8''b", "b"),
        ("attachment; filename=a.zip", nil),
    ])
    func `the extended name is taken only when it is well-formed`(_ field: String, _ expected: String?) {
        #expect(ContentDisposition(field).extendedFileName == expected)
    }

    @Test(arguments: [
        "attachment; filename=\"plain\"; filename*=UTF-8''extended",
        "attachment; filename*=UTF-8''extended; filename=\"plain\"",
    ])
    func `both names are found in either order`(_ field: String) {
        #expect(ContentDisposition(field).extendedFileName == "extended")
        #expect(ContentDisposition(field).plainFileName == "plain")
    }

    @Test func `a field that is too long offers no name`() {
        let start = "attachment; filename=a"
        let longest = start + String(repeating: "b", count: 8192 - start.utf8.count)
        #expect(ContentDisposition(longest).plainFileName != nil)
        #expect(ContentDisposition(longest + "b").plainFileName == nil)
    }

    @Test func `no text makes the parser trap, and no name is empty`() {
        var texts = UntrustedText(seed: 5)
        let pieces = [
            "attachment", "; ", "filename", "filename*", "=", "\"", "'", "UTF-8''", "%41", "%", "\\", "é", " ",
            "filename=\"", "filename*=UTF-8''", "filename='",
        ]
        for _ in 0..<20_000 {
            let parsed = ContentDisposition(texts.next(pieces: pieces))
            #expect(parsed.plainFileName?.isEmpty != true && parsed.extendedFileName?.isEmpty != true)
        }
    }
}
