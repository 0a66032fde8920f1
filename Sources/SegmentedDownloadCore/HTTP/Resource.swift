/// What a URL names, as far as answers tell: its length, validators, media type and coding.
package struct Resource: Equatable, Sendable {
    /// The length in bytes; `nil` where it is not known.
    package let length: Int64?
    /// What tells this version from another.
    package let validators: Validators
    /// The media type `type/subtype` in lower case; `nil` where it is not known.
    package let mediaType: String?
    /// The coding that every answer names, see ``ContentCoding``; `nil` for none.
    package let contentEncoding: String?

    /// A resource of which nothing is known yet: any answer fits it.
    package static let unknown = Resource(length: nil, validators: .none, mediaType: nil)

    /// Makes a resource, for instance from a journal.
    package init(length: Int64?, validators: Validators, mediaType: String?, contentEncoding: String? = nil) {
        self.length = length
        self.validators = validators
        self.mediaType = mediaType
        self.contentEncoding = contentEncoding
    }

    /// The resource that a response (200, 206, or a 416 that tells the total) is about.
    package init(_ head: ResponseHead) {
        let length: Int64? =
            switch head.status {
            case 206, 416: head.contentRange.value?.total
            default: head.contentLength.value
            }
        self.init(
            length: length,
            validators: Validators(head),
            mediaType: head.mediaType,
            contentEncoding: head.contentEncoding
        )
    }

    /// Compares with what another answer under the same URL is about: different where both lengths are known and
    /// differ, else as ``Validators/sameness(with:)`` says.
    package func sameness(with other: Resource) -> Sameness {
        if let length, let otherLength = other.length, length != otherLength { return .different }
        return validators.sameness(with: other.validators)
    }

    /// Whether the other answer differs in its strong ETag and in nothing else that tells versions apart, length and
    /// date: the tag of one of several machines, or made anew for each answer, as often as a change within one second.
    /// Where neither has a date, a change at any time looks so.
    package func differsOnlyInTag(from other: Resource) -> Bool {
        guard let tag = validators.strongETag, let otherTag = other.validators.strongETag, tag != otherTag else {
            return false
        }
        guard validators.lastModified == other.validators.lastModified else { return false }
        return length != nil && length == other.length
    }

    /// The same, with an ETag that proves nothing any more.
    package var ignoringTag: Resource {
        Resource(
            length: length,
            validators: validators.ignoringTag,
            mediaType: mediaType,
            contentEncoding: contentEncoding
        )
    }

    /// Whether the other answer is a web page where this was something else, and no validator speaks for it: a
    /// captive portal or a login page. Where this had no media type, a page of another length counts as one.
    package func isReplacedByPage(_ other: Resource) -> Bool {
        let pages = ["text/html", "application/xhtml+xml"]
        guard let otherType = other.mediaType, pages.contains(otherType),
            validators.sameness(with: other.validators) != .same
        else { return false }
        if let mediaType { return !pages.contains(mediaType) }
        return length != nil && length != other.length
    }
}
