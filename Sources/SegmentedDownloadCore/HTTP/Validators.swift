/// Whether two answers are about the same bytes.
package enum Sameness: Equatable, Sendable {
    /// A validator that both have is equal.
    case same
    /// A validator that both have is not equal.
    case different
    /// They have no validator in common.
    case unknown
}

/// What tells one version of a resource from another (RFC 9110 §8.8).
///
/// It proves something under one URL only: servers give equal tags to different files with equal size and time.
package struct Validators: Equatable, Sendable {
    /// The strong ETag with its quotes, ASCII.
    package let strongETag: String?
    /// Whether there is an ETag that is weak; it is not compared, but it rules out a date in `If-Range`.
    package let hasWeakETag: Bool
    /// `Last-Modified` in seconds since 1970.
    package let lastModified: Int64?
    /// `Last-Modified` as the server wrote it: printable ASCII, at most ``ResponseHead/maximumDateByteCount`` bytes.
    package let lastModifiedText: String?
    /// Whether ``lastModified`` is a strong validator.
    package let isLastModifiedStrong: Bool

    /// No validator at all.
    package static let none = Validators()

    /// Makes validators, for instance from a journal. All are absent unless given.
    package init(
        strongETag: String? = nil,
        hasWeakETag: Bool = false,
        lastModified: Int64? = nil,
        lastModifiedText: String? = nil,
        isLastModifiedStrong: Bool = false
    ) {
        self.strongETag = strongETag
        self.hasWeakETag = hasWeakETag
        self.lastModified = lastModified
        self.lastModifiedText = lastModifiedText
        self.isLastModifiedStrong = isLastModifiedStrong
    }

    /// The validators of a response.
    package init(_ head: ResponseHead) {
        self.init(
            strongETag: head.entityTag.flatMap { $0.isStrong ? $0.text : nil },
            hasWeakETag: head.entityTag.map { !$0.isStrong } ?? false,
            lastModified: head.lastModified,
            lastModifiedText: head.lastModifiedText,
            isLastModifiedStrong: head.isLastModifiedStrong
        )
    }

    /// Whether there is nothing to compare by.
    package var isEmpty: Bool { strongETag == nil && lastModified == nil }

    /// Compares with the validators of another answer under the same URL.
    ///
    /// A strong ETag decides where both have one, since two changes may fall in one second of Last-Modified; else
    /// Last-Modified where both have it. One that is absent on one side is not different: some servers send it with
    /// some answers only.
    package func sameness(with other: Validators) -> Sameness {
        if let tag = strongETag, let otherTag = other.strongETag { return tag == otherTag ? .same : .different }
        if let time = lastModified, let otherTime = other.lastModified {
            return time == otherTime ? .same : .different
        }
        return .unknown
    }

    /// The same without the strong ETag, which then rules out a date in `If-Range` as a weak one does.
    package var ignoringTag: Validators {
        Validators(
            hasWeakETag: hasWeakETag || strongETag != nil,
            lastModified: lastModified,
            lastModifiedText: lastModifiedText,
            isLastModifiedStrong: isLastModifiedStrong
        )
    }

    /// The value for `If-Range`: the strong ETag; the date only where there is no ETag at all and the date is strong
    /// (RFC 9110 §13.1.5). `nil` sends none.
    package var ifRangeValue: String? {
        if let strongETag { return strongETag }
        return !hasWeakETag && isLastModifiedStrong ? lastModifiedText : nil
    }
}
