import SegmentedDownload
import SegmentedDownloadTestSupport

/// One way in which an answer differs from an honest server's, and what may come of it.
struct SoakFault: Sendable, CustomStringConvertible {
    /// What a download makes of a fault. Without any of these it is survived, and costs some time.
    struct Effects: OptionSet {
        let rawValue: Int

        /// The download may end because of it.
        static let final = Effects(rawValue: 1)
        /// The same, where the file comes as one stream.
        static let finalInStream = Effects(rawValue: 2)
        /// The same, where no redirect led to the address: one that a redirect led to may have run out, and is looked
        /// up again.
        static let finalAtOrigin = Effects(rawValue: 4)
        /// The same, where there is no Last-Modified to go by.
        static let finalWithoutDate = Effects(rawValue: 8)
        /// Something seems to have changed: the server is asked again, and all may begin anew.
        static let asksAgain = Effects(rawValue: 16)
        /// Ranges may be given up for one stream.
        static let leadsToStream = Effects(rawValue: 32)
        /// Where no length is known, the file's end can't be told from this fault.
        static let hidesEnd = Effects(rawValue: 64)
        /// It befalls 206 answers only: on a 200 it may be the only word about the length, and then nobody can tell it
        /// from the truth.
        static let partsOnly = Effects(rawValue: 128)
        /// It is a web page instead of the file.
        static let isPage = Effects(rawValue: 256)
    }

    let description: String
    /// The kind of the failure where a download ends with it.
    let kind: DownloadError.Kind
    let effects: Effects
    /// The time that one occurrence may take.
    let cost: Duration
    private let change: @Sendable (inout Behaviour) -> Void

    init(
        _ description: String,
        endsAs kind: DownloadError.Kind = .network,
        _ effects: Effects = [],
        cost: Duration = .zero,
        _ change: @escaping @Sendable (inout Behaviour) -> Void
    ) {
        self.description = description
        self.kind = kind
        self.effects = effects
        self.cost = cost
        self.change = change
    }

    /// Changes how a request is answered.
    ///
    /// - Parameter isRanged: Whether a part is asked for.
    func apply(to behaviour: inout Behaviour, isRanged: Bool) {
        let isPart = if case .partial = behaviour.ranges { isRanged } else { false }
        if isPart || !effects.contains(.partsOnly) { change(&behaviour) }
    }

    /// How long a silence lasts until the client loses patience.
    static let silence = Duration.milliseconds(300)

    /// Draws the numbers of one kind of fault.
    typealias Draw = @Sendable (inout SeededRandom) -> SoakFault
}

extension SeededRandom {
    /// Whether something of this probability happens.
    mutating func happens(_ probability: Double) -> Bool {
        Double.random(in: 0..<1, using: &self) < probability
    }

    /// One of several; `elements` is not empty.
    mutating func one<Element>(of elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &self)]
    }
}
