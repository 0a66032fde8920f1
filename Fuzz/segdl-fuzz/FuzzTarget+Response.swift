import SegmentedDownload
import SegmentedDownloadCore

extension FuzzTarget {
    /// A line `STATUS FIRST END LENGTH`, where `-` stands for what is not asked or not known, then header lines.
    static let response = FuzzTarget(name: "response") { input in
        let lines = input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let numbers = (lines.first ?? []).split(separator: UInt8(ascii: " ")).map {
            Int64(String(decoding: $0, as: UTF8.self))
        }
        func number(_ index: Int) -> Int64? { numbers.indices.contains(index) ? numbers[index] : nil }
        let head = ResponseHead(
            status: Int(number(0) ?? 206),
            fields: lines.dropFirst().map(field),
            parseDate: CurlGlobal.seconds(ofDate:)
        )
        check(head)
        let length = number(3).flatMap { $0 >= 0 ? $0 : nil }
        // The first answer, a later one about the same resource, and a later one about another.
        let known = Resource(length: length, validators: .none, mediaType: "application/zip")
        for resource in [.unknown, known, Resource(head)] {
            judge(head, resource, .whole)
            guard let first = number(1), let end = number(2), first >= 0, first < end else { continue }
            judge(head, resource, .range(first..<end))
        }
    }

    private static func field(_ line: ArraySlice<UInt8>) -> (name: String, value: String) {
        let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        return (String(fieldBytes: parts[0]), String(fieldBytes: parts.count == 2 ? parts[1] : []))
    }

    private static func check(_ head: ResponseHead) {
        require(head.contentLength.value ?? 0 >= 0, "a negative length")
        require(!head.isChunked || head.contentLength == .absent, "a length that does not count")
        if let type = head.mediaType {
            require(type.utf8.allSatisfy { (0x21..<0x7F).contains($0) }, "a media type that is no token: \(type)")
            require(type.utf8.count <= JournalHeader.maximumMediaTypeByteCount + 1, "a media type that is too long")
        }
        if let text = head.lastModifiedText {
            require(text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }, "a date that can't be sent back")
        }
        if let location = head.location {
            require(!location.isEmpty, "an empty location")
            require(
                !location.unicodeScalars.contains { $0.properties.generalCategory == .control },
                "a location with a control character"
            )
        }
        _ = head.isLastModifiedStrong
        guard let coding = head.contentEncoding else { return }
        require(!coding.isEmpty, "an empty encoding")
        _ = ContentCoding.isLabel(coding, ofFileAt: head.location ?? "", mediaType: head.mediaType)
    }

    /// No byte may be written anywhere else than it was asked for.
    private static func judge(_ head: ResponseHead, _ resource: Resource, _ asked: ResponseCheck.Asked) {
        guard case .accept(let end) = ResponseCheck(resource: resource, asked: asked).verdict(for: head) else { return }
        require(head.status == 200 || head.status == 206, "status \(head.status) was accepted")
        require(head.contentEncoding == resource.contentEncoding, "a body of another encoding was accepted")
        require(resource.length == nil || end ?? 0 <= resource.length ?? 0, "an end behind the file's")
        switch asked {
        case .whole:
            require(end ?? 0 >= 0, "a negative end")
            let total = head.contentRange.value?.total
            require(head.status == 200 || total == nil || total == end, "a part was taken for the whole")
        case .range(let range):
            guard let end else { return require(head.status == 200, "a part without an end") }
            // A 200 to a range that reaches over the whole file ends where the file does.
            require(end <= range.upperBound || head.status == 200 && resource.length == nil, "more than was asked for")
            require(end > range.lowerBound || head.status == 200 && end == 0, "an end before the start")
            require(head.status == 206 || range.lowerBound == 0, "a whole file was taken for a part")
        }
        if head.status == 206, let window = head.contentRange.value?.range {
            require(window.upperBound == end, "another end than the Content-Range's")
            let length = head.contentLength.value ?? Int64(window.count)
            require(length == Int64(window.count), "a length that contradicts the Content-Range")
        }
    }
}
