import SegmentedDownload
import SegmentedDownloadCore

// Single header fields. The input is the field's value.
extension FuzzTarget {
    static let contentRange = FuzzTarget(name: "content-range") { input in
        guard let parsed = ContentRange(String(fieldBytes: input)) else { return }
        require(parsed.range != nil || parsed.total != nil, "a Content-Range that says nothing")
        if let total = parsed.total { require(total >= 0, "a negative total") }
        guard let range = parsed.range else { return }
        require(range.lowerBound >= 0 && !range.isEmpty, "a part that is none")
        require(range.upperBound <= parsed.total ?? .max, "a part beyond the end")
        // What segdl asks for is written in the same form.
        let again = ContentRange("bytes \(range.inclusiveByteRange)/\(parsed.total.map { "\($0)" } ?? "*")")
        require(again == parsed, "another meaning when written tidily")
    }

    static let entityTag = FuzzTarget(name: "etag") { input in
        guard let tag = EntityTag(String(fieldBytes: input)) else { return }
        let bytes = Array(tag.text.utf8)
        require((3...EntityTag.maximumByteCount).contains(bytes.count), "a tag that is empty or too long")
        require(bytes.first == UInt8(ascii: "\"") && bytes.last == UInt8(ascii: "\""), "a tag without quotes")
        // It is sent back in If-Range: a line break would begin another field.
        require(!bytes.contains { $0 < 0x20 || $0 == 0x7F }, "a tag with a control character")
        require(!tag.isStrong || bytes.allSatisfy { $0 < 0x80 }, "a strong tag that can't be sent back as it came")
        require(EntityTag(tag.text)?.text == tag.text, "a tag that is none when read again")
    }

    static let retryAfter = FuzzTarget(name: "retry-after") { input in
        let parsed = RetryAfter(String(fieldBytes: input), parseDate: CurlGlobal.seconds(ofDate:))
        for now in [0, 1_700_000_000, Int64.max, Int64.min] {
            guard let wait = parsed?.wait(now: now) else { continue }
            require(wait >= .zero && wait <= .seconds(RetryAfter.maximumSeconds), "a wait out of bounds: \(wait)")
        }
    }
}
