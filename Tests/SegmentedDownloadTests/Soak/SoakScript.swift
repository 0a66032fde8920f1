import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport

/// What a server does during one run of a soak: drawn from a seed, and with it what may come of the run.
struct SoakScript: Sendable {
    /// The file changes on the server.
    struct Change: Sendable {
        /// The first GET that meets the new version.
        let get: Int
        let content: PatternContent
    }

    /// The path that is asked for; it may lead to ``target`` over some redirects.
    static let start = "/start"
    private static let target = "/file"

    let content: PatternContent
    private(set) var habits: [SoakFault] = []
    private(set) var vice: SoakFault?
    private(set) var head: SoakFault?
    /// By number of the GET, from 1. Never more than two in a row: the third answer is a good one, and the client's
    /// patience lasts for three.
    private(set) var turns: [Int: SoakFault] = [:]
    private(set) var end: (get: Int, fault: SoakFault)?
    private(set) var change: Change?
    private(set) var redirects: [Int] = []

    /// An honest server.
    init(honest content: PatternContent) {
        self.content = content
    }

    /// Draws a script.
    init(_ content: PatternContent, _ random: inout SeededRandom) {
        self.content = content
        drawStanding(&random)
        if vice == nil || vice?.effects.contains(.final) == false { drawTurns(&random) }
        if random.happens(0.1) {
            end = (Int.random(in: 4...12, using: &random), random.one(of: SoakFault.ends)(&random))
        }
        if !isToldFromPage { removePages() }
        if random.happens(0.2), hasTellingValidators { drawChange(&random) }
        if random.happens(0.3) {
            let statuses = [301, 302, 303, 307, 308]
            redirects = (0..<Int.random(in: 1...4, using: &random)).map { _ in random.one(of: statuses) }
        }
    }

    private mutating func drawStanding(_ random: inout SeededRandom) {
        for list in SoakFault.habits where random.happens(0.2) { habits.append(random.one(of: list)(&random)) }
        if random.happens(0.2) { vice = random.one(of: SoakFault.vices)(&random) }
        let drawn = random.one(of: SoakFault.heads)(&random)
        // Where parts tell no total, nothing contradicts a HEAD.
        let isCredible = if case .unknownTotal = usualBehaviour.contentRange { true } else { false }
        if random.happens(0.35), !(isCredible && drawn.effects.contains(.asksAgain)) { head = drawn }
    }

    private mutating func drawTurns(_ random: inout SeededRandom) {
        let density = random.one(of: [0, 0.1, 0.3, 0.6])
        let lieCount = random.one(of: [0, 0, 1, 4])
        let finalCount = random.one(of: [0, 0, 0, 1])
        // Where each ranged GET of a probe leads to a plain one, one fault in two answers would be one in each attempt.
        let first = standing.contains { $0.effects.contains(.leadsToStream) } ? 5 : 1
        for number in first...40 where random.happens(density) && !(isFaulty(number - 1) && isFaulty(number - 2)) {
            turns[number] = random.one(of: SoakFault.passing)(&random)
        }
        replace(lieCount, by: SoakFault.lies, from: 1, &random)
        // A client that has seen nothing else can't tell a login page from the file.
        replace(finalCount, by: SoakFault.final, from: 4, &random)
    }

    /// Whether the media type tells the file from a login page.
    var isToldFromPage: Bool { usualBehaviour.contentType == Behaviour(.pattern(content)).contentType }

    private mutating func removePages() {
        turns = turns.filter { !$0.value.effects.contains(.isPage) }
        if let fault = end?.fault, fault.effects.contains(.isPage) { end = nil }
    }

    private func isFaulty(_ number: Int) -> Bool { turns[number] != nil }

    private mutating func replace(
        _ count: Int,
        by draws: [SoakFault.Draw],
        from first: Int,
        _ random: inout SeededRandom
    ) {
        for _ in 0..<count {
            let number = Int.random(in: first...20, using: &random)
            let neighbours = [number - 2, number - 1, number + 1, number + 2].filter(isFaulty)
            if neighbours.count < 2 { turns[number] = random.one(of: draws)(&random) }
        }
    }

    private mutating func drawChange(_ random: inout SeededRandom) {
        let length = random.happens(0.7) ? content.length : Int64.random(in: 1...2 * MiB, using: &random)
        // Then nothing but the answer's own validators tells.
        if random.happens(0.5) { habits.append(SoakFault("If-Range ignored") { $0.ifRange = .ignored }) }
        change = Change(
            get: Int.random(in: 2...5, using: &random),
            content: PatternContent(seed: content.seed &+ 1, length: length)
        )
    }

    /// What all answers have in common.
    var standing: [SoakFault] { habits + (vice.map { [$0] } ?? []) }

    /// An answer without any fault of its own.
    var usualBehaviour: Behaviour {
        var behaviour = Behaviour(.pattern(content))
        behaviour.lastModified = Self.lastModified(of: content)
        for fault in standing { fault.apply(to: &behaviour, isRanged: true) }
        return behaviour
    }

    /// Without these nobody can tell versions of equal length apart.
    private var hasTellingValidators: Bool {
        if case .rotating = usualBehaviour.etag { return false }
        return hasDate
    }

    /// Whether Last-Modified is a date.
    var hasDate: Bool { usualBehaviour.lastModified == Self.lastModified(of: content) }

    /// Another day for the next version of the file.
    private static func lastModified(of content: PatternContent) -> String {
        ["Thu, 01 Jan", "Thu, 08 Jan", "Thu, 15 Jan", "Thu, 22 Jan"][Int(content.seed % 4)] + " 2026 00:00:00 GMT"
    }

    /// What a later run finds.
    var lastContent: PatternContent { change?.content ?? content }
}

// MARK: - The server

extension SoakScript {
    /// The routes of a server that obeys the script.
    var routes: [String: Route] {
        var routes = [Self.target: route]
        var location = Self.target
        for (number, status) in redirects.enumerated() {
            let path = number == redirects.count - 1 ? Self.start : "/hop\(number)"
            routes[path] = .redirect(to: location, status: status)
            location = path
        }
        if redirects.isEmpty { routes[Self.start] = route }
        return routes
    }

    private var route: Route {
        let standing = standing
        var route = Route(content) { $0.lastModified = Self.lastModified(of: content) }.script { behaviour, request in
            for fault in standing { fault.apply(to: &behaviour, isRanged: request.isRanged) }
        }
        if let change {
            route = route.on(.gets, .after(change.get - 1)) {
                $0.content = .pattern(change.content)
                $0.lastModified = Self.lastModified(of: change.content)
            }
        }
        if let head { route = route.with(head, .heads) }
        for (number, fault) in turns { route = route.with(fault, .gets, .numbers([number])) }
        if let end { route = route.with(end.fault, .gets, .after(end.get - 1)) }
        return route
    }
}

extension Route {
    fileprivate func with(_ fault: SoakFault, _ requests: Requests, _ turns: Turns = .always) -> Route {
        script(requests, turns) { behaviour, request in fault.apply(to: &behaviour, isRanged: request.isRanged) }
    }
}

extension SoakScript: CustomStringConvertible {
    var description: String {
        let single = turns.sorted { $0.key < $1.key }.map { "GET \($0.key): \($0.value)" }
        let others = (standing + (head.map { [$0] } ?? [])).map(\.description)
        var lines = ["\(content.length) bytes"] + others + single
        if let end { lines.append("from GET \(end.get) on: \(end.fault)") }
        if let change { lines.append("from GET \(change.get) on: another version of \(change.content.length) bytes") }
        if !redirects.isEmpty { lines.append("redirects: \(redirects)") }
        return lines.joined(separator: "; ")
    }
}
