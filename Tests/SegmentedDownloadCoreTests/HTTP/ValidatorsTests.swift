import SegmentedDownloadCore
import Testing

struct ValidatorsTests {
    static let tagA = Validators(strongETag: "\"a\"")
    static let tagADate1 = Validators(strongETag: "\"a\"", lastModified: 1)
    static let tagADate2 = Validators(strongETag: "\"a\"", lastModified: 2)
    static let tagBDate1 = Validators(strongETag: "\"b\"", lastModified: 1)
    static let weakDate1 = Validators(hasWeakETag: true, lastModified: 1)
    static let weak = Validators(hasWeakETag: true)
    static let date1 = Validators(lastModified: 1)
    static let date2 = Validators(lastModified: 2)

    @Test(
        arguments: [
            (tagA, tagA, .same), (tagADate1, tagADate2, .same), (tagADate1, tagBDate1, .different),
            (tagA, date1, .unknown), (tagADate1, date1, .same), (tagADate1, date2, .different),
            (tagA, .none, .unknown), (.none, .none, .unknown), (date1, date1, .same), (date1, date2, .different),
            (date1, .none, .unknown), (weak, weak, .unknown), (weakDate1, date1, .same), (weakDate1, date2, .different),
            (weak, tagA, .unknown),
        ] as [(Validators, Validators, Sameness)]
    )
    func `a strong tag decides, then the date, and what is absent is not different`(
        _ first: Validators,
        _ second: Validators,
        _ expected: Sameness
    ) {
        #expect(first.sameness(with: second) == expected)
        #expect(second.sameness(with: first) == expected)
    }

    @Test(arguments: [
        (["ETag: \"a\"", "Last-Modified: T100", "Date: T200"], "\"a\""),
        (["ETag: W/\"a\"", "Last-Modified: T100", "Date: T200"], nil),
        (["Last-Modified: T100", "Date: T200"], "T100"),
        (["Last-Modified: T100", "Date: T159"], nil),
        (["Last-Modified: T100"], nil),
        (["ETag: \"é\"", "Last-Modified: T100", "Date: T200"], nil),
        ([], nil),
    ])
    func `If-Range takes a strong tag, or a strong date where there is no tag`(_ lines: [String], _ expected: String?) {
        #expect(Validators(makeHead(200, lines)).ifRangeValue == expected)
    }

    @Test func `validators are empty when nothing can be compared`() {
        #expect(Validators.none.isEmpty && Self.weak.isEmpty)
        #expect(!Self.tagA.isEmpty && !Self.date1.isEmpty)
    }
}

struct ResourceTests {
    @Test(
        arguments: [
            (200, ["Content-Length: 5"], 5), (206, ["Content-Length: 5", "Content-Range: bytes 0-4/9"], 9),
            (206, ["Content-Length: 5", "Content-Range: bytes 0-4/*"], nil), (416, ["Content-Range: bytes */0"], 0),
            (200, ["Content-Length: 5", "Content-Encoding: gzip"], 5), (200, ["Content-Length: -5"], nil),
            (200, ["Transfer-Encoding: chunked"], nil),
        ] as [(Int, [String], Int64?)]
    )
    func `the length is the whole resource's`(_ status: Int, _ lines: [String], _ expected: Int64?) {
        #expect(Resource(makeHead(status, lines)).length == expected)
    }

    @Test func `lengths that differ outweigh validators that don't`() {
        let short = Resource(length: 1, validators: ValidatorsTests.tagA, mediaType: nil)
        let long = Resource(length: 2, validators: ValidatorsTests.tagA, mediaType: nil)
        let open = Resource(length: nil, validators: ValidatorsTests.tagA, mediaType: nil)
        #expect(short.sameness(with: long) == .different)
        #expect(short.sameness(with: open) == .same)
        #expect(short.sameness(with: .unknown) == .unknown)
    }

    @Test(
        arguments: [
            ("\"b\"", 1, 9, true), ("\"a\"", 1, 9, false), (nil, 1, 9, false), ("\"b\"", 2, 9, false),
            ("\"b\"", nil, 9, false),
            ("\"b\"", 1, 8, false), ("\"b\"", 1, nil, false),
        ] as [(String?, Int64?, Int64?, Bool)]
    )
    func `only the tag differs where there are two, and date and length are equal`(
        _ tag: String?,
        _ date: Int64?,
        _ length: Int64?,
        _ expected: Bool
    ) {
        let known = Resource(length: 9, validators: Validators(strongETag: "\"a\"", lastModified: 1), mediaType: nil)
        let other = Resource(
            length: length,
            validators: Validators(strongETag: tag, lastModified: date),
            mediaType: nil
        )
        #expect(other.differsOnlyInTag(from: known) == expected)
    }

    @Test func `a tag that differs where there is no date is all that differs, and where there is no length, not`() {
        let tags = ["\"a\"", "\"b\""].map { Validators(strongETag: $0) }
        let known = tags.map { Resource(length: 9, validators: $0, mediaType: nil) }
        let open = tags.map { Resource(length: nil, validators: $0, mediaType: nil) }
        #expect(known[0].differsOnlyInTag(from: known[1]))
        #expect(!open[0].differsOnlyInTag(from: open[1]))
    }

    @Test(
        arguments: [
            ("application/zip", "text/html", true), ("application/zip", "application/xhtml+xml", true),
            ("text/html", "text/html", false), ("text/html", "application/xhtml+xml", false), (nil, "text/html", false),
            ("application/zip", nil, false), ("application/zip", "application/octet-stream", false),
        ] as [(String?, String?, Bool)]
    )
    func `a page is suspicious only where something else was known`(_ old: String?, _ new: String?, _ expected: Bool) {
        let known = Resource(length: nil, validators: .none, mediaType: old)
        #expect(known.isReplacedByPage(Resource(length: nil, validators: .none, mediaType: new)) == expected)
    }

    @Test(
        arguments: [
            (5, "text/html", true), (9, "text/html", false), (nil, "text/html", true), (5, "text/plain", false),
        ]
            as [(Int64?, String, Bool)]
    )
    func `where no media type is known, a page of another length counts as a portal's`(
        _ length: Int64?,
        _ type: String,
        _ expected: Bool
    ) {
        let known = Resource(length: 9, validators: .none, mediaType: nil)
        #expect(known.isReplacedByPage(Resource(length: length, validators: .none, mediaType: type)) == expected)
        #expect(!Resource.unknown.isReplacedByPage(Resource(length: length, validators: .none, mediaType: type)))
    }
}
