/// What the server does with requests for one path: a behaviour, and rules that change it for some of them.
///
///     let file = PatternContent(seed: 1, length: 10_000_000)
///     Route(file) { $0.etag = .none }
///         .on(.heads) { $0.fail(405) }
///         .on(.ranged, .first(2)) { $0.cut = .after(1000, by: .reset) }
///         .on(.covering(5_000_000), .numbers([1])) { $0.stallAfter = 0 }
package struct Route: Sendable {
    /// A change of the behaviour for some requests.
    struct Rule: Sendable {
        let requests: Requests
        let turns: Turns
        let change: @Sendable (inout Behaviour, Request) -> Void
    }

    let behaviour: Behaviour
    private(set) var rules: [Rule] = []

    /// Makes a route.
    ///
    /// - Parameters:
    ///   - content: The resource.
    ///   - change: Makes the behaviour differ from an honest server's, for all requests.
    package init(_ content: Content, _ change: (inout Behaviour) -> Void = { _ in }) {
        var behaviour = Behaviour(content)
        change(&behaviour)
        self.behaviour = behaviour
    }

    /// Makes a route to computed content.
    package init(_ content: PatternContent, _ change: (inout Behaviour) -> Void = { _ in }) {
        self.init(.pattern(content), change)
    }

    /// A route to nothing but a redirect.
    package static func redirect(to location: String, status: Int = 302) -> Route {
        Route(.bytes([])) { $0.redirect(to: location, status: status) }
    }

    /// A route that answers every request with these bytes, head and body, and closes.
    package static func raw(_ text: String) -> Route {
        Route(.bytes([])) { $0.answer = .raw(text) }
    }

    /// This route with a further rule. Rules are applied in their order, so that a later one wins.
    ///
    /// - Parameters:
    ///   - requests: Which requests the rule is about.
    ///   - turns: Which of those it changes, counted per rule.
    ///   - change: What is different for them.
    /// - Returns: The route with the rule.
    package func on(
        _ requests: Requests,
        _ turns: Turns = .always,
        _ change: @escaping @Sendable (inout Behaviour) -> Void
    ) -> Route {
        script(requests, turns) { behaviour, _ in change(&behaviour) }
    }

    /// As ``on(_:_:_:)``, with a change that looks at the request.
    package func script(
        _ requests: Requests = .all,
        _ turns: Turns = .always,
        _ change: @escaping @Sendable (inout Behaviour, Request) -> Void
    ) -> Route {
        var copy = self
        copy.rules.append(Rule(requests: requests, turns: turns, change: change))
        return copy
    }
}

/// Which requests a rule is about.
package struct Requests: Sendable {
    let matches: @Sendable (Request) -> Bool

    /// Whether a request is among them.
    package func contains(_ request: Request) -> Bool { matches(request) }

    /// Those for which `matches` holds.
    package static func matching(_ matches: @escaping @Sendable (Request) -> Bool) -> Requests {
        Requests(matches: matches)
    }

    /// All.
    package static let all = matching { _ in true }
    /// Those of the method GET.
    package static let gets = matching { $0.method == "GET" }
    /// Those of the method HEAD.
    package static let heads = matching { $0.method == "HEAD" }
    /// Those with a Range field.
    package static let ranged = matching { $0.isRanged }
    /// Those whose range holds the byte at an offset.
    package static func covering(_ offset: Int64) -> Requests {
        matching { $0.range(length: .max)?.contains(offset) ?? false }
    }
    /// Those whose range begins at an offset.
    package static func beginning(at offset: Int64) -> Requests {
        matching { $0.range(length: .max)?.lowerBound == offset }
    }
    /// Those on one of these connections, numbered from 1 in the order in which they were accepted.
    package static func onConnections(_ numbers: Set<Int>) -> Requests {
        matching { numbers.contains($0.connection) }
    }
    /// Those that are the nth on their connection, from 1.
    package static func onEachConnection(_ number: Int) -> Requests {
        matching { $0.numberOnConnection == number }
    }
    /// Those that carry a field.
    package static func withField(_ name: String) -> Requests {
        matching { $0.fields[name] != nil }
    }
    /// Those for which both hold.
    package func and(_ other: Requests) -> Requests {
        Requests { matches($0) && other.matches($0) }
    }
}

/// Which of a rule's requests it changes, counted from 1.
package enum Turns: Sendable {
    /// All of them.
    case always
    /// The first so many.
    case first(Int)
    /// All but the first so many.
    case after(Int)
    /// Those with these numbers.
    case numbers(Set<Int>)

    /// Whether the request of a number is changed.
    func include(_ number: Int) -> Bool {
        switch self {
        case .always: true
        case .first(let count): number <= count
        case .after(let count): number > count
        case .numbers(let numbers): numbers.contains(number)
        }
    }
}
