import Foundation

/// What a ``ProxyServer`` needs of RFC 7616: MD5, one nonce, and the quality of protection `auth`.
enum DigestAuthentication {
    private static let realm = "proxy"
    private static let nonce = "c2VnZGw"

    /// The value of `Proxy-Authenticate`. Basic is on offer too, as from proxies for old clients.
    static let challenge =
        "Digest realm=\"\(realm)\", nonce=\"\(nonce)\", qop=\"auth\", algorithm=MD5\r\n"
        + "Proxy-Authenticate: Basic realm=\"\(realm)\""

    /// Whether the value of `Proxy-Authorization` proves that the client knows the password.
    ///
    /// - Parameters:
    ///   - value: As the client sent it.
    ///   - method: Of its request.
    ///   - credentials: `user:password`.
    static func accepts(_ value: String, method: String, credentials: String) throws -> Bool {
        guard value.hasPrefix("Digest ") else { return false }
        let fields = Self.fields(value.dropFirst("Digest ".count))
        guard let target = fields["uri"], let count = fields["nc"], let own = fields["cnonce"],
            fields["nonce"] == nonce, let colon = credentials.firstIndex(of: ":")
        else { return false }
        let password = credentials[credentials.index(after: colon)...]
        let user = try md5("\(credentials[..<colon]):\(realm):\(password)")
        let request = try md5("\(method):\(target)")
        return try fields["response"] == md5("\(user):\(nonce):\(count):\(own):auth:\(request)")
    }

    private static func fields(_ text: Substring) -> [String: String] {
        var fields: [String: String] = [:]
        for pair in text.split(separator: ",") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { continue }
            fields[parts[0].trimmingCharacters(in: .whitespaces)] = parts[1].replacingOccurrences(of: "\"", with: "")
        }
        return fields
    }

    private static func md5(_ text: String) throws -> String {
        let result = try ChildProcess.run("/bin/sh", ["-c", "printf %s \"$0\" | md5sum", text])
        return String(result.standardOutput.prefix { $0 != " " })
    }
}
