/// The user names and passwords of a `.netrc` file, read as curl 7.88 reads it: words between white space, or in double
/// quotes with backslashes; `machine`, `default`, `login`, `password`, `account`, `macdef`.
package struct Netrc: Sendable {
    /// What the file says of one host, or of all others.
    private struct Entry {
        /// In lower case; `nil` is `default`.
        let machine: String?
        var login: String?
        var password: String?
    }

    /// A user name and a password.
    package struct Account: Sendable, Equatable {
        /// The user name; empty where the file gives none.
        package let login: String
        /// The password; empty where the file gives none.
        package let password: String

        /// An account.
        package init(login: String, password: String) {
            self.login = login
            self.password = password
        }
    }

    private var entries: [Entry] = []

    /// Reads a file's text. What makes no sense is passed over, as by curl, wget and ftp.
    package init(_ text: String) {
        var words = NetrcWords(text)
        while let word = words.next() {
            switch word {
            case "machine": if let name = words.nextValue() { entries.append(Entry(machine: name.lowercased())) }
            case "default": entries.append(Entry(machine: nil))
            case "login": set(\.login, words.nextValue())
            case "password": set(\.password, words.nextValue())
            case "account": _ = words.nextValue()
            case "macdef": words.skipMacro()
            default: break
            }
        }
    }

    private mutating func set(_ field: WritableKeyPath<Entry, String?>, _ value: String?) {
        guard let value, !entries.isEmpty else { return }
        entries[entries.count - 1][keyPath: field] = value
    }

    /// The account for a host.
    ///
    /// - Parameters:
    ///   - host: The host's name, without port; case makes no difference.
    ///   - login: Only an entry with this user name; `nil` takes the host's first.
    ///   - allowsDefault: Whether `default` counts where no `machine` is the host.
    /// - Returns: `nil` where the file says nothing of it.
    package func account(for host: String, login: String? = nil, allowsDefault: Bool) -> Account? {
        let host = host.lowercased()
        let fits = { (entry: Entry) in login == nil || entry.login == login }
        let entry =
            entries.first { $0.machine == host && fits($0) }
            ?? (allowsDefault ? entries.first { $0.machine == nil && fits($0) } : nil)
        return entry.map { Account(login: $0.login ?? "", password: $0.password ?? "") }
    }
}

/// The words of a `.netrc` file.
private struct NetrcWords {
    private var rest: Substring.UnicodeScalarView

    init(_ text: String) { rest = Substring(text).unicodeScalars }

    /// The next keyword. A word that begins with `#` begins a comment up to the end of its line.
    mutating func next() -> String? {
        while true {
            skipSpace()
            guard rest.first == "#" else { return word() }
            rest = rest.drop { $0 != "\n" }
        }
    }

    /// The word that belongs to a keyword: a password may begin with `#`.
    mutating func nextValue() -> String? {
        skipSpace()
        return word()
    }

    /// A macro's text ends with an empty line, or with the file.
    mutating func skipMacro() {
        while !rest.isEmpty {
            let line = rest.prefix { $0 != "\n" }
            rest = rest[line.endIndex...].dropFirst()
            if line.allSatisfy({ $0 == "\r" }) { return }
        }
    }

    private mutating func skipSpace() { rest = rest.drop(while: Self.isSpace) }

    private mutating func word() -> String? {
        guard let first = rest.first else { return nil }
        if first == "\"" { return quotedWord() }
        let word = rest.prefix { !Self.isSpace($0) }
        rest = rest[word.endIndex...]
        return String(Substring(word))
    }

    private mutating func quotedWord() -> String {
        var word = String.UnicodeScalarView()
        rest.removeFirst()
        while let scalar = rest.popFirst(), scalar != "\"" {
            guard scalar == "\\", let escaped = rest.popFirst() else {
                word.append(scalar)
                continue
            }
            word.append(Self.escapes[escaped] ?? escaped)
        }
        return String(word)
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar == " " || ("\t"..."\r").contains(scalar)
    }

    private static let escapes: [Unicode.Scalar: Unicode.Scalar] = ["n": "\n", "r": "\r", "t": "\t"]
}
